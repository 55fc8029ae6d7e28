import { useMemo } from 'react';
import {
  type Appearance,
  appearance,
  changeAppearance,
  DENSITIES,
  THEMES,
} from '../shell/frame/appearance.ts';
import { CheckField, SelectField } from '../ui/fields/field.tsx';
import { Section } from '../ui/section.tsx';
import { useSignal } from '../ui/signal.ts';
import styles from './appearance-choices.module.css';
import { EditorChoice } from './editor-choice.tsx';

const OWN_ZONE = '';

/** Shows the settings of appearance. They never leave the browser, and take effect immediately. */
export function AppearanceChoices() {
  const { theme, density, zone, hasShortcuts } = useSignal(appearance);
  const zones = useMemo(
    () => ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')],
    [],
  );
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Section id="appearance" title="Appearance" note="In this browser only">
      <div className={styles.fields}>
        <SelectField
          label="Theme"
          value={theme}
          onChange={({ target }) => changeAppearance({ theme: choiceOf(THEMES, target.value, 'system') })}
        >
          <Options words={THEMES} />
        </SelectField>
        <SelectField
          label="Density"
          value={density}
          onChange={({ target }) =>
            changeAppearance({ density: choiceOf(DENSITIES, target.value, 'comfortable') })
          }
        >
          <Options words={DENSITIES} />
        </SelectField>
        <SelectField
          label="Time zone"
          value={zone ?? OWN_ZONE}
          onChange={({ target }) =>
            changeAppearance({ zone: target.value === OWN_ZONE ? null : target.value })
          }
        >
          <option value={OWN_ZONE}>Browser ({own})</option>
          {zones.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </SelectField>
        <CheckField
          className={styles.wide}
          label="Single-key shortcuts"
          checked={hasShortcuts}
          onChange={({ target }) => changeAppearance({ hasShortcuts: target.checked })}
          hint="Such as J and K. Ctrl K always opens the palette."
        />
        <EditorChoice />
      </div>
    </Section>
  );
}

function Options({ words }: { words: Readonly<Record<string, string>> }) {
  return Object.entries(words).map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}

type Choice = Appearance['theme'] | Appearance['density'];

/** The choice that a list's text names. */
function choiceOf<Key extends Choice>(
  words: Readonly<Record<Key, string>>,
  text: string,
  otherwise: Key,
): Key {
  for (const key in words) if (key === text) return key;
  return otherwise;
}
