#include "pg/report/report_host.hpp"

#include "pg/report/hints.hpp"

namespace idgen::pg {

void report_not_loaded(Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("idgen is not loaded by the server"),
                errdetail("IDs are made from shared memory, which is set up when the server starts."),
                errhint("%s", preload_hint)));
}

void tell_needs_preload(const char *setting, Location at) {
    ereport_at(at, WARNING,
               (errcode(ERRCODE_WARNING), errmsg("%s has no effect here", setting),
                errdetail("This setting exists only where the server loads the library when it starts."),
                errhint("Add idgen to shared_preload_libraries and restart.")));
}

void report_older_library(const char *library, const char *wanted, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("the library of idgen %s is loaded, and %s is needed", library, wanted),
                errdetail("The library's file was exchanged after it was loaded, or was not exchanged yet."),
                errhint("Install the library of idgen %s if it is not there, and restart the server.", wanted)));
}

void report_recovery(Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION), errmsg("cannot make IDs during recovery"),
                errdetail("This server is a standby; its primary makes the IDs."),
                errhint("Connect to the primary, or promote this server.")));
}

void report_postmaster_dead(Location at) {
    ereport_at(at, FATAL,
               (errcode(ERRCODE_ADMIN_SHUTDOWN), errmsg("the server's main process is gone"),
                errdetail("Another server may have taken its place, so this one makes no more IDs."),
                errhint("Connect again.")));
}

void report_no_entropy(Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not get random bytes"),
                errdetail("The server's strong source of random bytes failed."),
                errhint("Look at the entropy source of the operating system, and at OpenSSL's.")));
}

void report_cipher_failed(Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION), errmsg("AES failed in libcrypto"),
                errdetail("The library refused the cipher, or had no memory."),
                errhint("See whether the OpenSSL of this machine is configured without AES.")));
}

}  // namespace idgen::pg
