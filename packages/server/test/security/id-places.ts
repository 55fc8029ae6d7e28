import { type Endpoint, pathIdProblem, pathParameterNames } from '@culprit/contract/endpoints/endpoint';
import type { ProblemCode } from '@culprit/contract/endpoints/problems';
import { ID_KIND_KEYWORD, isWellFormedId, RequestId } from '@culprit/contract/schemas/identifiers';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import type { OperationRequest } from './operation-request.ts';

/** A place of a request where the id of a record stands. */
export interface IdPlace {
  part: 'params' | 'query' | 'body';
  name: string;
  /** The body has a list of ids there. */
  isList: boolean;
  /** What a malformed id is answered. */
  malformed: ProblemCode;
}

/** Fields of requests whose names end like an id's, but that name no record of ours, or none that has to be there. */
export const NO_REFERENCES = [
  // Where a rule came from, as the client wrote it (docs/contract/ingestion.md 5.1).
  'createCaptureRule.created_by_user_id',
  'createCaptureRule.created_from_event_id',
  'createCaptureRule.created_from_incident_id',
  // Scope and action of a suggestion, equal for all incidents.
  'createSuggestedCaptureRule.suggestion_id',
  // A list in one text, of which those that are not visible are left out.
  'getIncidentActivity.incident_ids',
  // A filter, as clients name the activation.
  'listProbeResults.activation_id',
  // A hash of words, looked for among the slots of the incident alone.
  'splitIncident.slot_ids',
  // The payment provider's.
  'confirmCheckout.session_id',
  // Of a built file, looked for among the maps of the project alone.
  'explainFrame.debug_id',
  'listSourceMaps.debug_id',
];

/** Every place of an operation's requests where an id stands, found by the schemas of the contract. */
export function idPlaces(endpoint: Endpoint): IdPlace[] {
  // The id of an event is what its sender chose, of any characters.
  const ids = pathParameterNames(endpoint.path).filter(
    (name) => pathIdProblem(endpoint, name) !== 'not_found',
  );
  const inPath = ids.map(
    (name): IdPlace => ({
      part: 'params',
      name,
      isList: false,
      malformed: pathIdProblem(endpoint, name),
    }),
  );
  return [
    ...inPath,
    ...placesIn('query', endpoint.query, 'invalid_query'),
    ...placesIn('body', endpoint.body, 'invalid_payload'),
  ];
}

/** Fields of query and body whose names end like an id's and that are no such place: `endpoint.field`. */
export function otherIdFields(endpoint: Endpoint): string[] {
  const known = new Set(idPlaces(endpoint).map(({ name }) => name));
  return [endpoint.query, endpoint.body]
    .flatMap((schema) => Object.keys(propertiesOf(schema)))
    .filter((name) => /_ids?$/.test(name) && !known.has(name))
    .map((name) => `${endpoint.id}.${name}`)
    .sort();
}

/** What an id at a place names: tokens of projects and of people are two kinds. */
export function kindOf(endpoint: Endpoint, place: IdPlace): string {
  if (place.part !== 'params') return place.name.replace(/_ids?$/, '');
  const schema: unknown = endpoint.params?.properties[place.name];
  const kind = isJsonObject(schema) ? String(schema[ID_KIND_KEYWORD]) : '';
  return kind === 'token' ? `${kind} of ${endpoint.path.split('/')[2]}` : kind;
}

/** The id at a place; throws where the request has none. */
export function idAt(request: OperationRequest, { part, name }: IdPlace): string {
  const found = request[part]?.[name];
  const id = Array.isArray(found) ? found[0] : found;
  if (typeof id !== 'string' || !isWellFormedId(id)) throw new Error(`no id at ${part}.${name}`);
  return id;
}

/** The request with another id there. */
export function withId(request: OperationRequest, place: IdPlace, id: string): OperationRequest {
  const { part, name, isList } = place;
  const given: unknown = request[part]?.[name];
  // Others of a list stay, because a list may need several.
  const rest: unknown[] = Array.isArray(given) ? given.slice(1) : [];
  return { ...request, [part]: { ...request[part], [name]: isList ? [id, ...rest] : id } };
}

const ID_PATTERN = patternOf(RequestId(''));

function placesIn(part: 'query' | 'body', schema: unknown, malformed: ProblemCode): IdPlace[] {
  return Object.entries(propertiesOf(schema)).flatMap(([name, property]): IdPlace[] => {
    const given = withoutNull(property);
    const isList = isJsonObject(given) && isJsonObject(given.items);
    const single = isJsonObject(given) && isList ? given.items : given;
    return patternOf(single) === ID_PATTERN ? [{ part, name, isList, malformed }] : [];
  });
}

/** What stands beside the null of a nullable field; any other schema as it is. */
function withoutNull(schema: unknown): unknown {
  if (!isJsonObject(schema) || !Array.isArray(schema.anyOf)) return schema;
  const values = schema.anyOf.filter((each) => !isJsonObject(each) || each.type !== 'null');
  return values.length === 1 ? values[0] : schema;
}

function propertiesOf(schema: unknown): JsonObject {
  return isJsonObject(schema) && isJsonObject(schema.properties) ? schema.properties : {};
}

function patternOf(schema: unknown): unknown {
  return isJsonObject(schema) ? schema.pattern : undefined;
}
