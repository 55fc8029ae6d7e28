import { hash } from 'node:crypto';

/** The project of everything that local mode shows. */
export const LOCAL_PROJECT = { id: 'proj_local', name: 'local', slug: 'local' } as const;

/** A UUID (version 8) from the SHA-256 of `local` and some texts: the same texts give the same id everywhere. */
export function localUuid(...texts: readonly string[]): string {
  const hex = hash('sha256', ['local', ...texts].join('\u0000'), 'hex');
  const variant = '89ab'[Number.parseInt(hex.slice(16, 17), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Ids of services, each computed once: files have many events of few services. */
export function createServiceIds(): (name: string, environment: string) => string {
  const ids = new Map<string, string>();
  return (name, environment) => {
    const key = `${environment}\u0000${name}`;
    let id = ids.get(key);
    if (id === undefined) {
      id = localUuid('service', environment, name);
      ids.set(key, id);
    }
    return id;
  };
}

/** The UUID that an incident and its bundle share (docs/contract/clients.md 11.4). */
export function localIncidentUuid(incident: {
  environment: string;
  serviceName: string;
  fingerprint: string;
}): string {
  return localUuid(incident.environment, incident.serviceName, incident.fingerprint);
}
