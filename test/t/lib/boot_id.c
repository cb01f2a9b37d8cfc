/* Loaded before the server: what reads the kernel's boot_id reads the file of $FAKE_BOOT_ID instead. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *faked(const char *path)
{
	const char *file = getenv("FAKE_BOOT_ID");
	return file && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0 ? file : path;
}

#define FAKE_OPEN(name)                                                        \
	int name(const char *path, int flags, ...)                                 \
	{                                                                          \
		va_list more;                                                          \
		va_start(more, flags);                                                 \
		mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
		va_end(more);                                                          \
		int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, #name);         \
		return real(faked(path), flags, mode);                                 \
	}
FAKE_OPEN(open)
FAKE_OPEN(open64)

#define FAKE_FOPEN(name)                                                     \
	FILE *name(const char *path, const char *mode)                           \
	{                                                                        \
		FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, #name); \
		return real(faked(path), mode);                                      \
	}
FAKE_FOPEN(fopen)
FAKE_FOPEN(fopen64)
