import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { setOwn } from '../../events/envelope/own-property.ts';
import { objectOrEmpty } from '../../events/envelope/read-json.ts';
import { filled, textOf } from './written-values.ts';

const ATTRIBUTES_MAX = 200;

/** The attributes of a span or a line of a log, which come as `{value, type}`; some libraries send bare values. */
export function attributesOf(entry: JsonObject): JsonObject {
  const attributes: JsonObject = {};
  let count = 0;
  const written = objectOrEmpty(entry.attributes);
  for (const key in written) {
    if (count === ATTRIBUTES_MAX) break;
    count += 1;
    const attribute = written[key] ?? null;
    const value = isJsonObject(attribute) && 'value' in attribute ? attribute.value : attribute;
    if (value !== undefined && value !== null) setOwn(attributes, key, value);
  }
  return attributes;
}

/** Returns the attributes about service, library, release and user, in the places where events have them. */
export function asEvent(entry: JsonObject, attributes: JsonObject): JsonObject {
  const sdkName = textOf(attributes['sentry.sdk.name'], 200);
  return filled({
    environment: attributes['sentry.environment'],
    release: attributes['sentry.release'],
    server_name: attributes['server.address'] ?? attributes['host.name'],
    sdk: sdkName === null ? null : filled({ name: sdkName, version: attributes['sentry.sdk.version'] }),
    platform: platformOf(sdkName),
    user: filled({
      id: attributes['user.id'],
      email: attributes['user.email'],
      username: attributes['user.name'] ?? attributes['user.username'],
    }),
    tags: filled({ service: attributes['service.name'] }),
    contexts: {
      trace: filled({
        trace_id: entry.trace_id,
        span_id: entry.span_id ?? attributes['sentry.trace.parent_span_id'],
        parent_span_id: entry.parent_span_id,
        op: attributes['sentry.op'],
        status: entry.status,
      }),
    },
  });
}

const PLATFORMS: Readonly<Record<string, string>> = { dotnet: 'csharp' };
const SERVERS_OF_JAVASCRIPT =
  /^sentry\.javascript\.(?:node|bun|deno|express|fastify|koa|hapi|nestjs|nextjs|aws-serverless|google-cloud-serverless)/;

/** `sentry.python.flask` is Python's; of the libraries of JavaScript some run in Node alone. */
function platformOf(sdkName: string | null): JsonValue {
  const [maker, platform = null] = sdkName?.toLowerCase().split('.', 3) ?? [];
  if (maker !== 'sentry' || platform === null) return null;
  if (platform === 'javascript' && SERVERS_OF_JAVASCRIPT.test(sdkName?.toLowerCase() ?? '')) return 'node';
  return PLATFORMS[platform] ?? platform;
}
