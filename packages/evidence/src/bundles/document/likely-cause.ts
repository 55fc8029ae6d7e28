import type { ApplicationFrame } from '@culprit/contract/incidents/bundle';

/** The input of the rules. */
export interface CauseFacts {
  /** An opaque window error, or a resource that could not be loaded; neither has a message worth reading. */
  browserFailure: 'window' | 'resource' | null;
  /** The error's own type and message first, then those of its causes from the innermost outwards. */
  errors: readonly { type: string; message: string }[];
  frame: ApplicationFrame | null;
  hasRequest: boolean;
  capturedAt: string;
  /** Version or commit of the deploy in whose window the failure lies; null when there is none. */
  newDeploy: string | null;
}

interface CauseText {
  likelyCause: string | null;
  recommendedAction: string | null;
}

interface CauseRule {
  id: string;
  /** Each pattern must be found; case does not matter. */
  patterns: readonly RegExp[];
  cause: string;
  action: string;
}

const FRAME = '<frame>';
const CAPTURED_AT = '<captured_at>';
/** Readers of stacks write these for code outside of functions, and for functions without a name of their own. */
const UNNAMED: ReadonlySet<string> = new Set(['<anonymous>', '<min>', '<module>', '<main>']);

const WINDOW_RULE = {
  cause: 'The browser withheld the error details of a cross-origin script.',
  action: 'Serve the script with CORS headers and the crossorigin attribute.',
};
const RESOURCE_RULE = {
  cause: 'A page resource could not be loaded; a blocker, network fault or missing file are possible.',
  action: 'Check the resource URL and its deploy.',
};

/**
 * C03 to C20 of docs/contract/incidents.md 3.5.1, in order. Three texts count only at the start of a word: a
 * correlation id is no `relation`, and letter case aside a `ModuleNotFoundError` contains ENOTFOUND, an
 * `ImageLoadError` LoadError.
 */
export const CAUSE_RULES: readonly CauseRule[] = [
  {
    id: 'C03',
    patterns: [/ChunkLoadError|Loading chunk|dynamically imported module/i],
    cause: 'A page from an older build asked for a file the current deploy no longer serves.',
    action: 'Keep old assets for one release or reload on this error.',
  },
  {
    id: 'C04',
    patterns: [
      /of undefined|of null|NullPointer|NullReference|NoneType|for nil|nil map|nil pointer|unwrapping an Optional/i,
    ],
    cause: `A value expected to be present was missing at ${FRAME}.`,
    action: 'Guard the value or fix where it is produced.',
  },
  {
    id: 'C05',
    patterns: [
      /is not a function|undefined method|has no attribute|Call to undefined|NoSuchMethod|unrecognized selector/i,
    ],
    cause: 'Code calls a member that the object does not have.',
    action: "Compare the object's type with the caller's expectation, also across versions.",
  },
  {
    id: 'C06',
    patterns: [/deadlock|lock wait timeout|could not serialize/i],
    cause: 'Two database transactions blocked each other.',
    action: 'Order the locks or retry the transaction.',
  },
  {
    id: 'C07',
    patterns: [/SQLSTATE\[23|duplicate key|unique constraint|foreign key|IntegrityError/i],
    cause: 'The database refused a row that breaks a constraint.',
    action: 'Validate before writing or handle the conflict.',
  },
  {
    id: 'C08',
    patterns: [/\brelation|ORA-00942|no such table|Unknown column|SQLSTATE\[42/i],
    cause: 'The code and the database schema differ.',
    action: 'Check that migrations ran before the deploy.',
  },
  {
    id: 'C09',
    patterns: [/ECONNREFUSED|connection refused|ECONNRESET|broken pipe/i],
    cause: 'A dependency did not accept or keep the connection.',
    action: `Check the dependency's health at ${CAPTURED_AT}.`,
  },
  {
    id: 'C10',
    patterns: [/timeout|timed out|ETIMEDOUT|DeadlineExceeded/i],
    cause: 'A call took longer than its limit.',
    action: "Look at the dependency's latency and the configured limit.",
  },
  {
    id: 'C11',
    patterns: [/\bENOTFOUND|EAI_AGAIN|getaddrinfo|no such host/i],
    cause: 'A host name could not be resolved.',
    action: 'Check the configured host and DNS.',
  },
  {
    id: 'C12',
    patterns: [/pool/i, /exhausted|not available|too many connections/i],
    cause: 'The connection pool had no free connection.',
    action: 'Look for leaked or long-held connections.',
  },
  {
    id: 'C13',
    patterns: [/out of memory|OutOfMemory|MemoryError/i],
    cause: 'The process ran out of memory.',
    action: 'Compare memory facts in the runtime block across occurrences.',
  },
  {
    id: 'C14',
    patterns: [/ENOSPC|No space left/i],
    cause: 'The disk is full.',
    action: 'Free or extend the volume.',
  },
  {
    id: 'C15',
    patterns: [/JSON/i, /Unexpected token|Expecting value|Unexpected end/i],
    cause: 'A response or body was not the JSON the code expects.',
    action: 'Log the first bytes and the status of the upstream answer.',
  },
  {
    id: 'C16',
    patterns: [/status code 401|status code 403|Unauthorized|Forbidden|invalid token/i],
    cause: 'Credentials were missing, expired or refused.',
    action: "Check the credential's validity and scope.",
  },
  {
    id: 'C17',
    patterns: [/status code 429|Too Many Requests|rate limit/i],
    cause: 'An upstream service limits the call rate.',
    action: 'Back off and honour Retry-After.',
  },
  {
    id: 'C18',
    patterns: [/Cannot find module|ModuleNotFoundError|ClassNotFound|NoClassDefFound|\bLoadError/i],
    cause: 'A module is missing from the deployed artifact.',
    action: "Compare the build's dependency list with the source.",
  },
  {
    id: 'C19',
    patterns: [/Maximum call stack|stack overflow|StackOverflow|recursion/i],
    cause: 'Unbounded recursion.',
    action: `Add a stop condition in ${FRAME}.`,
  },
  {
    id: 'C20',
    patterns: [/index out of|IndexError|ArrayIndexOutOfBounds|out of range/i],
    cause: 'A position outside the collection was used.',
    action: 'Check the bounds where the index is computed.',
  },
];

/**
 * Returns the probable cause and the recommended action: those of the first rule that matches, else those that follow
 * from the frame alone.
 */
export function likelyCause(facts: CauseFacts): CauseText {
  const text = matchedText(facts) ?? frameText(facts);
  if (facts.newDeploy === null) return text;
  const deploySentence = `The latest occurrence is within 24 hours after deploy ${facts.newDeploy}.`;
  return {
    ...text,
    likelyCause: text.likelyCause === null ? deploySentence : `${text.likelyCause} ${deploySentence}`,
  };
}

function matchedText(facts: CauseFacts): CauseText | null {
  const rule =
    facts.browserFailure === 'window'
      ? WINDOW_RULE
      : facts.browserFailure === 'resource'
        ? RESOURCE_RULE
        : firstMatch(facts.errors);
  return rule === null
    ? null
    : {
        likelyCause: fillPlaceholders(rule.cause, facts),
        recommendedAction: fillPlaceholders(rule.action, facts),
      };
}

/** The error itself is asked before its causes: `charge failed` says nothing, the `timed out` below it does. */
function firstMatch(errors: CauseFacts['errors']): CauseRule | null {
  for (const { type, message } of errors) {
    const text = `${type}\n${message}`;
    const rule = CAUSE_RULES.find(({ patterns }) => patterns.every((pattern) => pattern.test(text)));
    if (rule !== undefined) return rule;
  }
  return null;
}

/** Without a frame the place is left out, as in `… was missing.` */
function fillPlaceholders(sentence: string, facts: CauseFacts): string {
  const frame = nameOf(facts.frame) ?? frameLocation(facts.frame);
  // A function as replacement: `$&` in a function's name means nothing here.
  return frame === null
    ? sentence.replace(/ (?:at|in) <frame>/, '').replace(CAPTURED_AT, () => facts.capturedAt)
    : sentence.replace(FRAME, () => frame).replace(CAPTURED_AT, () => facts.capturedAt);
}

function frameText({ frame, hasRequest }: CauseFacts): CauseText {
  const place = frameLocation(frame);
  const where = place === null ? '' : ` at ${place}`;
  const subject = nameOf(frame);
  if (frame === null || (subject === null && place === null))
    return { likelyCause: null, recommendedAction: null };
  return {
    likelyCause:
      subject === null ? `The failure surfaces${where}.` : `The failure surfaces in ${subject}${where}.`,
    recommendedAction:
      place === null ? null : `Inspect ${place}${hasRequest ? ' with the captured request' : ''}.`,
  };
}

/** Returns the function's name, or null if it has none. */
function nameOf(frame: ApplicationFrame | null): string | null {
  const name = frame?.function ?? null;
  return name === null || UNNAMED.has(name) ? null : name;
}

function frameLocation(frame: ApplicationFrame | null): string | null {
  if (frame === null || frame.file === null) return null;
  return frame.line === null ? frame.file : `${frame.file}:${frame.line}`;
}
