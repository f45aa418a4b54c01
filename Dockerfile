# The service on one machine, for trying it and for tests of clients. Deployments on AWS need no image.
# On x64 the image is all that is needed; on arm it needs DYNAMODB_ENDPOINT, as compose.yaml shows.

FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No script of a package runs: the image has its own Node.
RUN npm ci --omit=dev --ignore-scripts

# The page at `/` is built with packages that the service does not need afterwards.
FROM node:24-slim AS front
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN node packages/front/command.ts

FROM node:24-slim
# The demo of sign-in has an address of this machine alone, and needs a package for development.
ENV NODE_ENV=production LISTEN_HOST=0.0.0.0 DATA_DIR=/data DEMO_PORT=off
WORKDIR /app
RUN mkdir /data && chown node:node /data
COPY --from=packages /app/node_modules node_modules
COPY . .
COPY --from=front /app/.build/front .build/front
USER node
EXPOSE 3000 3443
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/oauth2/jwks').then((it) => process.exit(it.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=16", "--max-old-space-size=192", "packages/local/start.ts"]
