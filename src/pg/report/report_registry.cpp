#include "pg/report/report_registry.hpp"

namespace idgen::pg {
namespace {

int hint_for(RegistryFault fault) {
    switch (fault) {
        case RegistryFault::silent:
            break;
        case RegistryFault::foreign:
            return errhint(
                "Look whether idgen.registry is right; or, if the registry was made anew, call "
                "idgen_lease.advance_registry() there, then idgen_lease.confirm_registry() on each node.");
        case RegistryFault::denied:
            return errhint("See to that in the registry, or in idgen.registry: docs/registry.md describes both.");
    }
    return errhint("See whether the registry runs and can be reached from here, and call again.");
}

int code_of(RegistryFault fault) {
    switch (fault) {
        case RegistryFault::silent:
            break;
        case RegistryFault::foreign:
            return errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE);
        case RegistryFault::denied:
            return errcode(ERRCODE_SQLSERVER_REJECTED_ESTABLISHMENT_OF_SQLCONNECTION);
    }
    return errcode(ERRCODE_CONNECTION_FAILURE);
}

int message_of(RegistryFault fault) {
    switch (fault) {
        case RegistryFault::silent:
            break;
        case RegistryFault::foreign:
            return errmsg("the registry is not the one that was asked for");
        case RegistryFault::denied:
            return errmsg("the registry refused the call");
    }
    return errmsg("the registry did not answer");
}

int detail_of(const char *sentence) {
    if (sentence == nullptr) return errdetail("Members of pg_monitor see what was said.");
    return errdetail("It was said: %s.", sentence);
}

}  // namespace

void report_registry(RegistryFault fault, const char *sentence, Location at) {
    ereport_at(at, ERROR, (code_of(fault), message_of(fault), detail_of(sentence), hint_for(fault)));
}

void report_no_registry(Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("idgen.registry is not set"),
                errdetail("It says where the registry is from which nodes take their numbers."),
                errhint("Set it, such as: ALTER SYSTEM SET idgen.registry = "
                        "'postgresql://node@host/registry', and restart.")));
}

void report_registry_address(const char *sentence, Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("idgen.registry is no address of a registry"),
         errdetail("It was said: %s.", sentence),
         errhint("An address is postgresql://user@host:port/database, or etcd://host:port,host:port/prefix, with "
                 "TLS etcds://.")));
}

void report_negative_number(int64 number, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a number must not be negative"),
                errdetail("It is %lld.", static_cast<long long>(number)),
                errhint("idgen_lease.nodes() lists the numbers that are held.")));
}

void report_interval(const char *argument, const char *rule, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s is out of range", argument), errdetail("%s", rule),
                errhint("Give an interval within these bounds.")));
}

void report_registry_superuser(const char *function, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("must be superuser to call %s()", function),
                errdetail("It changes who may make IDs with a number."), errhint("Have a superuser call it.")));
}

void warn_not_advanced(Location at) {
    ereport_at(at, WARNING,
               (errcode(ERRCODE_WARNING), errmsg("the registry has never been advanced"),
                errdetail("It is another one than was remembered, and does not know what that has granted: IDs that "
                          "other servers make with numbers of that one can be made again."),
                errhint("Where there are such servers, call idgen_lease.advance_registry() now.")));
}

void report_not_lease_database(const char *database, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("this is not the database in which the server remembers its numbers"),
                *database == '\0' ? errdetail("idgen.lease_database is not set.")
                                  : errdetail("idgen.lease_database is \"%s\".", database),
                *database == '\0' ? errhint("Set idgen.lease_database, and call it there.")
                                  : errhint("Connect to database \"%s\", and call it there.", database)));
}

}  // namespace idgen::pg
