import type { HeartbeatSchedule } from '@culprit/contract/monitor/heartbeats';

/** The code with which a job reports its runs, for one way to run jobs. */
interface HeartbeatSetup {
  value: string;
  label: string;
  code: string;
}

const CURL = 'curl -fsS -m 10 --retry 3';

/** @param url what the job requests */
export function heartbeatSetups(url: string, schedule: HeartbeatSchedule): readonly HeartbeatSetup[] {
  const crontab = schedule.type === 'crontab' ? schedule.value : '0 3 * * *';
  return [
    { value: 'cron', label: 'cron', code: `${crontab} /usr/local/bin/job; ${CURL} ${url}/$?` },
    {
      value: 'cli',
      label: 'Command line',
      code: `# With the exit code and the end of the output
export CULPRIT_HEARTBEAT_URL=${url}
culprit heartbeats run -- /usr/local/bin/job`,
    },
    {
      value: 'systemd',
      label: 'systemd',
      code: `[Service]
Type=oneshot
ExecStartPre=-/usr/bin/${CURL} ${url}/start
ExecStart=/usr/local/bin/job
ExecStopPost=-/bin/sh -c 'test "$$SERVICE_RESULT" = success || fail=/fail; ${CURL} ${url}$$fail'`,
    },
    {
      value: 'kubernetes',
      label: 'Kubernetes',
      code: `# spec.jobTemplate.spec.template.spec.containers[0] of the CronJob
command: ["/bin/sh", "-c"]
args:
  - |
    ${CURL} ${url}/start
    /usr/local/bin/job
    code=$?
    ${CURL} ${url}/$code
    exit $code`,
    },
    {
      value: 'github',
      label: 'GitHub Actions',
      code: `# Keep the address in the secret HEARTBEAT_URL: ${url}
- run: ./job.sh
- if: always()
  run: ${CURL} "\${{ secrets.HEARTBEAT_URL }}\${{ job.status != 'success' && '/fail' || '' }}"`,
    },
    {
      value: 'python',
      label: 'Python',
      code: `import urllib.request

def report(path=""):
    try:
        urllib.request.urlopen("${url}" + path, timeout=10)
    except OSError:
        pass  # A job never fails because of its report

report("/start")
try:
    run_job()
except BaseException:
    report("/fail")
    raise
report()`,
    },
    {
      value: 'node',
      label: 'Node',
      code: `const report = (path = '') =>
  fetch('${url}' + path, { method: 'POST', signal: AbortSignal.timeout(10_000) }).catch(() => {});

await report('/start');
try {
  await runJob();
  await report();
} catch (error) {
  await report('/fail');
  throw error;
}`,
    },
  ];
}
