// Messages without translations, for LD_PRELOAD: below AddressSanitizer the server hangs in those of the C library.
extern "C" {

char *bindtextdomain(const char *, const char *folder) {
    return const_cast<char *>(folder);
}

char *gettext(const char *message) {
    return const_cast<char *>(message);
}

}  // extern "C"
