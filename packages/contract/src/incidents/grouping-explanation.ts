import Type, { type Static } from 'typebox';

/**
 * The readers of an event for grouping, each in the words of sentences. API, dashboard, command line and agents take
 * both the names and the words from here (docs/contract/grouping.md 4.1).
 */
export const GROUPING_READERS = {
  logger_argument: 'the error passed to the logger',
  error_field: 'the error in a field of the log line',
  message_record: 'the record in the message',
  message_trace: 'the trace in the message',
  js_trace: 'the JavaScript trace reader',
  python_trace: 'the Python trace reader',
  ruby_trace: 'the Ruby trace reader',
  php_trace: 'the PHP trace reader',
  jvm_trace: 'the JVM trace reader',
  go_trace: 'the Go trace reader',
  dotnet_trace: 'the .NET trace reader',
  swift_trace: 'the Swift trace reader',
  dart_trace: 'the Dart trace reader',
  rust_trace: 'the Rust trace reader',
  native_trace: 'the reader of native traces',
  elixir_trace: 'the Elixir and Erlang trace reader',
  crystal_trace: 'the Crystal trace reader',
  perl_trace: 'the Perl trace reader',
  lua_trace: 'the Lua trace reader',
  powershell_trace: 'the PowerShell trace reader',
  julia_trace: 'the Julia trace reader',
  haskell_trace: 'the Haskell trace reader',
  r_trace: 'the R trace reader',
  general_trace: 'the general trace reader, for unknown runtimes',
  frame_objects: 'the reader of frames sent as objects',
  stack_lines: 'the lines of a stack in which no reader finds a frame',
  message_text: 'the text of the message',
  browser_event: 'the browser event',
  request: 'the request',
  availability_check: 'the availability check',
  heartbeat: 'the heartbeat',
} as const;

export type GroupingReader = keyof typeof GROUPING_READERS;

/** The rules that decide the key of an event, each in the words of sentences. */
export const GROUPING_RULES = {
  own_frames: 'the newest in-app frames',
  foreign_frames: 'the newest frames, because none is in-app',
  minified_files:
    'the files of the newest frames, because all their names are minified; a source map would separate places within a file',
  group_members: 'the members of the group of errors',
  stack_lines: 'the first lines of the stack without numbers, addresses and quoted text',
  error_route: 'the error type, the message and the route, because there are no frames',
  error_message: 'the error type and the message, because there are neither frames nor a route',
  record_statement: 'what the record in the message states',
  message_template: 'the message without its values',
  script_file: 'the message and the file of the script, because the browser reports no frames',
  resource_address: 'the address and the tag of the resource that failed to load',
  request_status: 'the method, the route and the status of the request',
  availability_check: 'the check that fails',
  heartbeat: 'the scheduled job that fails',
} as const;

export type GroupingRule = keyof typeof GROUPING_RULES;

/** The inputs of a key, each as sentences name it (docs/contract/incidents.md 5.4.9). */
export const MATCHED_FIELDS = {
  environment: 'environment',
  service: 'service',
  error_type: 'error type',
  normalized_message: 'message template',
  cause_type: 'type of the cause',
  group_members: 'group members',
  top_frames: 'top frames',
  mapped_frames: 'top frames, as source maps know them',
  stack_lines: 'stack lines',
  route_template: 'route',
  http_method: 'method',
  http_status: 'status',
  browser_event_kind: 'kind of browser event',
  source_file: 'source file',
  resource_host: 'resource host',
  resource_path: 'resource path',
  resource_tag: 'resource tag',
  availability_check: 'availability check',
  heartbeat: 'heartbeat',
} as const;

export type MatchedField = keyof typeof MATCHED_FIELDS;

/** The origin of the key of an incident: that of the event that opened it. */
export const GroupingExplanation = {
  matched_fields: Type.Array(Type.Enum(namesOf(MATCHED_FIELDS)), { description: 'The inputs of the key' }),
  readers: Type.Array(Type.Enum(namesOf(GROUPING_READERS)), {
    description: 'Readers of the event that opened the incident, in order',
  }),
  rule: Type.Enum(namesOf(GROUPING_RULES), {
    description: 'Method that determined the key, besides environment and service',
  }),
};

export interface GroupingExplanation {
  matched_fields: Static<typeof GroupingExplanation.matched_fields>;
  readers: Static<typeof GroupingExplanation.readers>;
  rule: Static<typeof GroupingExplanation.rule>;
}

function namesOf<Name extends string>(table: Readonly<Record<Name, string>>): Name[] {
  return Object.keys(table) as Name[];
}
