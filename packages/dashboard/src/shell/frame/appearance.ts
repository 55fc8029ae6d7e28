import { timeZone } from '../../format/times.ts';
import { createSignal } from '../../ui/signal.ts';

/** The settings of appearance in this browser; none of them leaves it. */
export interface Appearance {
  theme: 'system' | 'light' | 'dark';
  density: 'comfortable' | 'compact';
  /** Null is the browser's own zone. */
  zone: string | null;
  hasShortcuts: boolean;
  /** The setting for opening a line of a stack; `editor.ts` reads it. Null opens it nowhere. */
  editor: unknown;
}

/** The choices and their labels. */
export const THEMES = { system: 'System', light: 'Light', dark: 'Dark' } as const;
export const DENSITIES = { comfortable: 'Comfortable', compact: 'Compact' } as const;

const KEY = 'culprit.appearance';
const DEFAULTS: Appearance = {
  theme: 'system',
  density: 'comfortable',
  zone: null,
  hasShortcuts: true,
  editor: null,
};

export const appearance = createSignal<Appearance>(read());
apply(appearance.get());

export function changeAppearance(changes: Partial<Appearance>): void {
  const next = { ...appearance.get(), ...changes };
  appearance.set(next);
  localStorage.setItem(KEY, JSON.stringify(next));
  apply(next);
}

function apply({ theme, density, zone }: Appearance): void {
  Object.assign(document.documentElement.dataset, { theme, density });
  timeZone.set(zone);
}

function read(): Appearance {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return DEFAULTS;
    const given = new Map<string, unknown>(Object.entries(stored));
    const zone = given.get('zone');
    return {
      theme: (['light', 'dark'] as const).find((theme) => theme === given.get('theme')) ?? 'system',
      density: given.get('density') === 'compact' ? 'compact' : 'comfortable',
      zone: typeof zone === 'string' && isZone(zone) ? zone : null,
      hasShortcuts: given.get('hasShortcuts') !== false,
      editor: given.get('editor') ?? null,
    };
  } catch {
    return DEFAULTS;
  }
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
