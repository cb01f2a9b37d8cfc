# Only the extension, for PostgreSQL 18 and later, as CloudNativePG mounts it beside a server (ImageVolume):
#     docker build -f packaging/extension.Dockerfile --build-arg PG_MAJOR=18 -t idgen:18 .
# share/extension has the control files and scripts, share/idgen what the pages name besides, lib the library. A registry in etcd needs a libcurl besides, which those images lack.
ARG PG_MAJOR=18

FROM postgres:${PG_MAJOR} AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ make libssl-dev libpq-dev libcurl4-openssl-dev postgresql-server-dev-${PG_MAJOR}
COPY . /idgen
RUN make -C /idgen -j"$(nproc)" with_llvm=no && make -C /idgen with_llvm=no install prefix=/out && strip --strip-debug /out/lib/*.so
RUN mkdir -p /out/share/idgen/sql-only && cp /idgen/sql-only/*.sql /out/share/idgen/sql-only && cp -R /idgen/monitoring /out/share/idgen

FROM scratch
COPY --from=build /out/lib /lib
COPY --from=build /out/share /share
