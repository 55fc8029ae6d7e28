# One image serves every role: `docker run … culprit`, or `… culprit --roles api`. See docs/operations.md.

FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY . .
# Dashboard, packages and server are built here, and what they are built with stays here.
RUN npm ci --omit=dev --ignore-scripts && node scripts/build-beside.mjs dashboard packages \
  && node scripts/build-server.ts packages/server/dist/image && rm -rf node_modules
# The image has its own Node, so the one of the lockfile is removed.
RUN npm ci --omit=dev --ignore-scripts --include-workspace-root -w packages/server -w packages/cli \
  && rm -rf node_modules/node-linux-* node_modules/vite node_modules/rolldown node_modules/@rolldown node_modules/lightningcss*

FROM node:24-bookworm-slim
# The embedded PostgreSQL refuses to run as root or as a user without a name.
RUN groupadd --gid 10001 culprit \
  && useradd --uid 10001 --gid culprit --no-create-home --home-dir /data --shell /usr/sbin/nologin culprit \
  && install -d -o culprit -g culprit -m 0711 /data
WORKDIR /app
COPY --from=packages /app/package.json ./
COPY --from=packages /app/node_modules ./node_modules
COPY --from=packages /app/packages ./packages
# `npm start` sets the same defaults (scripts/start.sh).
ENV NODE_ENV=production \
    UV_THREADPOOL_SIZE=8 \
    MALLOC_ARENA_MAX=2 \
    MALLOC_TRIM_THRESHOLD_=131072 \
    CULPRIT_DATA_DIR=/data \
    CULPRIT_HOST=0.0.0.0 \
    CULPRIT_PORT=4800
USER culprit
VOLUME /data
EXPOSE 4800
STOPSIGNAL SIGTERM
# A worker has no port: disable this check where the role is `worker`.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.CULPRIT_PORT}/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--disable-sigusr1", "packages/server/dist/image/main.js"]
