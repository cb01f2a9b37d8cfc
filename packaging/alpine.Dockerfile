# A PostgreSQL server with idgen on Alpine, whose C library is musl, from this tree:
#     docker build -f packaging/alpine.Dockerfile --build-arg PG_MAJOR=18 -t postgres-idgen:18-alpine .
# It is used as the image postgres is; the library is loaded when the server starts. make variant OF=musl runs these steps, and what
# they make, on a server built with musl. The names of Alpine's packages were never tried.
ARG PG_MAJOR=18

FROM postgres:${PG_MAJOR}-alpine AS build
RUN apk add --no-cache g++ make perl linux-headers openssl-dev curl-dev
COPY . /idgen
RUN make -C /idgen with_llvm=no install DESTDIR=/out
RUN mkdir -p /out/usr/share/doc/postgresql-${PG_MAJOR}-idgen && cd /out/usr/share/doc/postgresql-${PG_MAJOR}-idgen && mkdir sql-only && cp /idgen/sql-only/*.sql sql-only && cp -R /idgen/monitoring .

FROM postgres:${PG_MAJOR}-alpine
RUN apk add --no-cache libcurl
COPY --from=build /out/usr /usr
CMD ["postgres", "-c", "shared_preload_libraries=idgen"]
