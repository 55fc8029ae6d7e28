import type { CaptureMatcher, UrlMatcher } from '@culprit/contract/capture/capture';
import { compileContains } from '../events/contains-text.ts';
import { fingerprintText } from '../events/fingerprint/fingerprint-text.ts';
import type { EventType } from '../events/normalize/event.ts';
import type { RuleFacts } from './rule-facts.ts';
import type { WebAddress } from './web-address.ts';

/** Returns true if an event meets a matcher. */
export type Matches = (facts: RuleFacts) => boolean;

/**
 * Compiles a matcher (docs/contract/ingestion.md 5.2): all its keys must match, the values of a list are alternatives,
 * and a fact the event does not have never matches. Every comparison is an equality, prefix, suffix or substring test;
 * nothing a user writes is ever a pattern (docs/contract/reliability.md A12). What is cheapest to ask comes first.
 */
export function compileMatcher(matcher: CaptureMatcher): Matches {
  const tests: Matches[] = [];
  const {
    event_types,
    services,
    environments,
    runtime,
    fingerprint,
    error_name,
    message_equals,
    message_contains,
    browser_event_kind,
    browser_event_opaque,
    resource_url,
    request_url,
    status_codes,
    status_ranges,
    first_party,
    client_kind,
    bot_family,
  } = matcher;

  if (event_types !== undefined) {
    const types = new Set<EventType>(event_types);
    tests.push(({ event }) => types.has(event.eventType));
  }
  if (services !== undefined) {
    const names = new Set(services);
    tests.push(({ event }) => names.has(event.serviceName));
  }
  if (environments !== undefined) {
    const names = new Set(environments);
    tests.push(({ event }) => names.has(event.environment));
  }
  if (fingerprint !== undefined) {
    const wanted = fingerprintText(fingerprint);
    tests.push((facts) => facts.fingerprint === wanted);
  }
  if (status_codes !== undefined) {
    const codes = new Set(status_codes);
    tests.push(({ status }) => status !== null && codes.has(status));
  }
  if (status_ranges !== undefined) {
    tests.push(
      ({ status }) =>
        status !== null && status_ranges.some(({ start, end }) => start <= status && status <= end),
    );
  }
  if (runtime !== undefined) {
    const runtimes = new Set(runtime);
    tests.push((facts) => runtimes.has(facts.runtime));
  }
  if (browser_event_kind !== undefined) {
    tests.push(({ browserEvent }) => browserEvent?.kind === browser_event_kind);
  }
  if (browser_event_opaque !== undefined) {
    tests.push(({ browserEvent }) => browserEvent?.opaque === browser_event_opaque);
  }
  if (error_name !== undefined) tests.push((facts) => facts.errorName === error_name);
  if (resource_url !== undefined) {
    const matches = compileUrlMatcher(resource_url);
    tests.push((facts) => matches(facts.resourceAddress));
  }
  if (request_url !== undefined) {
    const matches = compileUrlMatcher(request_url);
    tests.push((facts) => matches(facts.requestAddress));
  }
  if (first_party !== undefined) tests.push((facts) => facts.isFirstParty === first_party);
  if (message_equals !== undefined) tests.push((facts) => facts.message === message_equals);
  if (message_contains !== undefined) {
    const contains = compileContains(message_contains);
    tests.push(({ message }) => message !== null && contains(message));
  }
  if (client_kind !== undefined) tests.push((facts) => facts.client?.kind === client_kind);
  if (bot_family !== undefined) tests.push((facts) => facts.client?.family === bot_family);

  return (facts) => tests.every((test) => test(facts));
}

/** Hosts are compared in lower case, with or without their port; paths are compared unchanged. */
function compileUrlMatcher(matcher: UrlMatcher): (address: WebAddress | null) => boolean {
  const { path_equals: path, path_prefix: prefix } = matcher;
  const host = matcher.host?.toLowerCase();
  const suffix = matcher.host_suffix?.toLowerCase();
  return (address) => {
    if (address === null) return false;
    if (host !== undefined && address.host !== host && address.hostAndPort !== host) return false;
    if (suffix !== undefined && !hasSuffix(address, suffix)) return false;
    if (path !== undefined && address.path !== path) return false;
    return prefix === undefined || address.path.startsWith(prefix);
  };
}

function hasSuffix({ host, hostAndPort }: WebAddress, suffix: string): boolean {
  return host?.endsWith(suffix) === true || hostAndPort?.endsWith(suffix) === true;
}
