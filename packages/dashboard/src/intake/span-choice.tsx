import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { PATTERNS } from '../paths.ts';
import { SPAN_DEFAULT, SPAN_NAMES, SPANS, spanIn } from './fates-query.ts';
import styles from './span-choice.module.css';

const route = getRouteApi(`/frame${PATTERNS.intake}`);

/** Shows the choice of the time span of the figures, which is part of the address. */
export function SpanChoice() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const chosen = spanIn(search.span);
  return (
    <fieldset className={styles.choice}>
      <legend className="visually-hidden">Time</legend>
      {SPAN_NAMES.map((name) => (
        <label key={name}>
          <input
            type="radio"
            name="span"
            checked={chosen === name}
            onChange={() => {
              const { span: _before, ...rest } = search;
              const next = name === SPAN_DEFAULT ? rest : { span: name, ...rest };
              void navigate({ to: '.', search: next, replace: true });
            }}
          />
          <span>{SPANS[name].label}</span>
        </label>
      ))}
    </fieldset>
  );
}
