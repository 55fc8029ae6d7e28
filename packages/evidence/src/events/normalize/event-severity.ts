import { getOwn } from '../envelope/own-property.ts';
import { isBrowserNoise } from './browser-noise.ts';
import type {
  BrowserEvent,
  ExceptionPayload,
  LogLevel,
  LogPayload,
  NormalizedEvent,
  Severity,
} from './event.ts';
import { SEVERITIES } from './severity.ts';

interface SeverityOptions {
  /** The token has no `allowed_origins`, so no browser can hold it. */
  isServerToken: boolean;
  /** The stack gave the parsers at least one frame. */
  hasFrames: boolean;
  /**
   * The value of a `request_event`. If it is absent, every answer from 400 up counts: only immediate failures reach an
   * incident.
   */
  isImmediateFailure?: boolean;
}

/**
 * Severity of one event (docs/contract/incidents.md 5.6). An incident has the highest of its counted signals.
 */
export function eventSeverity(event: NormalizedEvent, options: SeverityOptions): Severity {
  const inferred = inferredSeverity(event, options);
  const claimed = options.isServerToken ? claimedSeverity(event) : null;
  return claimed === null ? inferred : maxSeverity(inferred, claimed);
}

/** 0 for `low` to 3 for `critical`. */
export function severityRank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

export function maxSeverity(a: Severity, b: Severity): Severity {
  return severityRank(a) >= severityRank(b) ? a : b;
}

function inferredSeverity(event: NormalizedEvent, options: SeverityOptions): Severity {
  const { payload } = event;
  switch (payload.kind) {
    case 'exception':
      return minSeverity(exceptionSeverity(event, payload, options), LEVEL_CAPS[payload.level ?? 'error']);
    case 'request':
      return (options.isImmediateFailure ?? payload.response.statusCode >= 400) ? 'high' : 'low';
    case 'log':
      return isHighestLevel(payload.level) || isLoggedException(payload) ? 'high' : 'low';
    case 'suppressed':
      return 'medium';
    default:
      return 'low';
  }
}

function exceptionSeverity(
  event: NormalizedEvent,
  payload: ExceptionPayload,
  options: SeverityOptions,
): Severity {
  return event.eventType === 'backend_exception' ? 'high' : browserSeverity(payload, options.hasFrames);
}

/** The highest severity of an exception that the program itself rates lower than an error. */
const LEVEL_CAPS: Readonly<Record<LogLevel, Severity>> = {
  debug: 'low',
  info: 'low',
  warning: 'medium',
  error: 'critical',
  critical: 'critical',
  fatal: 'critical',
};

function minSeverity(a: Severity, b: Severity): Severity {
  return severityRank(a) <= severityRank(b) ? a : b;
}

/** Rank 4: the operator chose the level. */
function isHighestLevel(level: LogLevel): boolean {
  return level === 'critical' || level === 'fatal';
}

/** An error that was passed to the logger instead of being thrown is as severe as one that was caught. */
function isLoggedException({ level, error }: LogPayload): boolean {
  return level === 'error' && error !== null && error.isArgument;
}

function browserSeverity(payload: ExceptionPayload, hasFrames: boolean): Severity {
  const { browserEvent } = payload;
  if (isBrowserNoise(payload)) return 'low';
  if (browserEvent === null) return isBareScriptError(payload.message) && !hasFrames ? 'low' : 'high';
  if (!browserEvent.opaque) return 'high';
  if (browserEvent.kind === 'window_error') return 'low';
  return isAbandonedHint(browserEvent) ? 'low' : 'medium';
}

/**
 * Returns true for the only text with which browsers report an error in a script of another origin; old clients send it
 * without a browser event.
 */
function isBareScriptError(message: string): boolean {
  return /^Script error\.?$/.test(message.trim());
}

const HINT_RELATIONS: ReadonlySet<string> = new Set(['preload', 'modulepreload', 'prefetch']);
const LEAVING_STATES: ReadonlySet<string | null> = new Set(['hidden', 'prerender', 'unloaded']);

/**
 * Returns true for a resource hint that was abandoned because the page was not shown, or was left before it was
 * complete.
 */
function isAbandonedHint(browserEvent: BrowserEvent): boolean {
  const { target, page } = browserEvent;
  if (target === null || page === null || target.tagName?.toLowerCase() !== 'link') return false;
  const rel = getOwn(target.attributes, 'rel');
  const isHint =
    typeof rel === 'string' &&
    rel
      .toLowerCase()
      .split(/\s+/)
      .some((each) => HINT_RELATIONS.has(each));
  return isHint && LEAVING_STATES.has(page.visibilityState) && page.readyState !== 'complete';
}

/** `context.severity` of a server event may raise, never lower; browsers are not believed. */
function claimedSeverity(event: NormalizedEvent): Severity | null {
  if (event.eventType === 'frontend_exception' || event.eventType === 'frontend_breadcrumb') return null;
  const claim = getOwn(event.context, 'severity');
  return SEVERITIES.find((severity) => severity === claim) ?? null;
}
