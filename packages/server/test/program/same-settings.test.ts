import { expect, it } from 'vitest';
import { sameSettings } from '../../src/roles/same-settings.ts';

it('a command for another terminal names the settings that lead to the same data', () => {
  expect(sameSettings({ PATH: '/bin', CULPRIT_LOG_LEVEL: 'warn', CULPRIT_PORT: '' })).toBe('');
  expect(sameSettings({ CULPRIT_PORT: '4811', CULPRIT_DATA_DIR: '/srv/culprit data' })).toBe(
    "CULPRIT_DATA_DIR='/srv/culprit data' CULPRIT_PORT=4811 ",
  );
});
