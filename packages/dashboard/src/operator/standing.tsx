import alertIcon from 'virtual:icon/alert-fill';
import checkIcon from 'virtual:icon/check-circle-fill';
import type { OperatorHealth } from '@culprit/contract/workspace/operator';
import { duration, plural } from '../format/numbers.ts';
import { Icon } from '../ui/icon.tsx';
import styles from './operator.module.css';

/** The first line: well only when nothing below says otherwise. */
export function Standing({ health }: { health: OperatorHealth }) {
  const { settings, findings } = health;
  const wrong = findings.filter(({ severity }) => severity === 'wrong').length;
  const level = wrong > 0 ? 'wrong' : findings.length > 0 ? 'warning' : 'well';
  const words =
    level === 'well'
      ? 'All is well'
      : wrong > 0
        ? plural(wrong, 'problem', 'problems')
        : plural(findings.length, 'warning', 'warnings');
  return (
    <span className={styles.standing}>
      <strong className={styles.verdict} data-level={level} role="status">
        <Icon path={level === 'well' ? checkIcon : alertIcon} />
        {words}
      </strong>
      <span>Culprit {health.version}</span>
      <span>up {duration(Date.parse(health.time) - Date.parse(health.started_at))}</span>
      <span>
        PostgreSQL {settings.database_version}
        {settings.embedded ? ' embedded' : ''}
      </span>
      <span>objects: {settings.object_store === 's3' ? 'S3' : 'files'}</span>
      <span>mail: {settings.mail === 'smtp' ? 'SMTP' : settings.mail}</span>
      <span>sign-up: {settings.signup}</span>
      <span>{settings.base_url}</span>
    </span>
  );
}
