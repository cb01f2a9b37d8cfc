# Stands in for the image postgres, which cannot be pulled everywhere: Debian's server with the same user, folders (those of
# 18), environment and entry point, as that image's page tells them, and nothing kept of apt. debian:MAJOR is a root of the suite that has the server.
ARG PG_MAJOR
FROM debian:${PG_MAJOR}
ARG PG_MAJOR
ENV PG_MAJOR=${PG_MAJOR} PGDATA=/var/lib/postgresql/${PG_MAJOR}/docker LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/postgresql/${PG_MAJOR}/bin
RUN printf '%s\n' 'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb"; };' 'Dir::Cache::pkgcache "";' 'Dir::Cache::srcpkgcache "";' \
    >/etc/apt/apt.conf.d/docker-clean && rm -rf /var/cache/apt/*.bin && \
    apt-get update && apt-get install -y --no-install-recommends passwd && groupadd -r -g 999 postgres && \
    useradd -r -u 999 -g postgres -d /var/lib/postgresql -s /bin/bash postgres && \
    mkdir /etc/postgresql-common && echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends postgresql-${PG_MAJOR} && rm -rf /var/lib/apt/lists/* && \
    sed -i "s/^#listen_addresses = .*/listen_addresses = '*'/" /usr/share/postgresql/${PG_MAJOR}/postgresql.conf.sample && \
    install -d -o postgres -g postgres /var/lib/postgresql "${PGDATA%/*}" "$PGDATA" /var/run/postgresql
COPY docker-entrypoint.sh /usr/local/bin/
VOLUME /var/lib/postgresql
EXPOSE 5432
STOPSIGNAL SIGINT
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]
