import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import type { Answer } from './send-events.ts';

/** A browser with cookies of its own, as far as signing in goes. It does not follow redirects. */
export interface CookieBrowser {
  /** Cookies by name, as the service has set them. */
  cookies: Map<string, string>;
  get(path: string): Promise<Answer>;
  /** The session object of `GET /v1/auth/session`, or null. */
  session(): Promise<JsonObject | null>;
}

export function openCookieBrowser(serviceUrl: string): CookieBrowser {
  const cookies = new Map<string, string>();

  async function get(path: string): Promise<Answer> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers: Record<string, string> = cookie === '' ? {} : { cookie };
    const response = await fetch(serviceUrl + path, { redirect: 'manual', headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? null : JSON.parse(text),
    };
  }

  return {
    cookies,
    get,
    async session() {
      const { body } = await get('/v1/auth/session');
      return isJsonObject(body) && isJsonObject(body.session) ? body.session : null;
    },
  };
}

/** Where a redirect leads; throws for every other answer. */
export function locationOf({ status, headers, body }: Answer): string {
  const location = headers.get('location');
  if (status !== 302 || location === null) throw new Error(`answered ${status} ${JSON.stringify(body)}`);
  return location;
}
