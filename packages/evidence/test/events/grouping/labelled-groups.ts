import type { LabelledTrace } from './labelled-traces.ts';

/** Groups of errors as their runtimes print them: Node.js, .NET and Go; members fail in any order, any of them twice. */

function traces(cause: string, type: string, ...told: [message: string, stack: string][]): LabelledTrace[] {
  return told.map(([message, stack]) => ({ cause, from: 'server', type, message, stack }));
}

const node = (line: number) => ({
  mail: `Error: no route\n        at send (/app/src/mail.js:${line}:24)\n        at async run (/app/src/jobs.js:${line}:5)`,
  pay: `CardError: no card\n    for this order\n        at take (/app/src/pay.js:${line}:23)\n        at async run (/app/src/jobs.js:${line}:9) {\n      code: 'E_CARD'\n    }`,
  print: `Error: no paper\n        at print (/app/src/print.js:${line}:7) {\n      [cause]: Error: tray is open\n          at feed (/app/src/tray.js:${line}:3)\n    }`,
});
const nodeGroup = (...members: string[]): [string, string] => [
  'All promises were rejected',
  `[AggregateError: All promises were rejected] {\n  [errors]: [\n${members.map((member) => `    ${member}`).join(',\n')}\n  ]\n}`,
];
const nodeRaised = (line: number, ...members: string[]): [string, string] => [
  'jobs failed',
  `AggregateError: jobs failed\n    at finish (/app/src/jobs.js:${line}:12) {\n  [cause]: Error: late\n      at tick (/app/src/clock.js:${line}:3),\n  [errors]: [\n${members.map((member) => `    ${member}`).join(',\n')}\n  ]\n}`,
];

const dotnet = (line: number) => ({
  mail: `System.InvalidOperationException: no route\n   at Acme.Mail.Send() in /src/Mail.cs:line ${line}`,
  pay: `System.ArgumentException: no card\n   at Acme.Pay.Take() in /src/Pay.cs:line ${line}`,
});
const END = '   --- End of inner exception stack trace ---';
const WAIT =
  '   at System.Threading.Tasks.Task.Wait(Int32 millisecondsTimeout)\n   at Acme.Jobs.Run() in /src/Jobs.cs:line 5';
const AGGREGATE = 'System.AggregateException';
const dotnetGroup = (said: string[], first: string, ...others: string[]): [string, string] => {
  const message = `One or more errors occurred.${said.map((each) => ` (${each})`).join('')}`;
  const behind = others
    .map((each, index) => `\n ---> (Inner Exception #${index + 1}) ${each}<---\n`)
    .join('');
  return [message, `${AGGREGATE}: ${message}\n ---> ${first}\n${END}\n${WAIT}${behind}`];
};
const olderDotnetGroup = (first: string, ...others: string[]): [string, string] => {
  const behind = [first, ...others].map((each, index) => `\n---> (Inner Exception #${index}) ${each}<---\n`);
  const message = 'One or more errors occurred.';
  return [message, `${AGGREGATE}: ${message} ---> ${first}\n${END}\n${WAIT}${behind.join('')}`];
};

const GO = '*errors.joinError';
const goStack = (line: number) =>
  `goroutine 1 [running]:\nmain.run(...)\n\t/app/jobs.go:${line} +0x1d\nmain.main()\n\t/app/main.go:${line} +0x1d`;

const [a, b] = [node(3), node(77)];
const [c, d] = [dotnet(4), dotnet(88)];

export const LABELLED_GROUPS: readonly LabelledTrace[] = [
  ...traces(
    'node: mail and pay',
    'AggregateError',
    nodeGroup(a.mail, a.pay),
    nodeGroup(b.pay, b.mail),
    nodeGroup(b.pay, a.pay, b.mail),
  ),
  ...traces('node: mail and print', 'AggregateError', nodeGroup(a.mail, a.print), nodeGroup(b.print, b.mail)),
  ...traces(
    'node: raised with mail and pay',
    'AggregateError',
    nodeRaised(9, a.mail, a.pay),
    nodeRaised(21, b.pay, b.mail),
  ),
  ...traces('node: pay alone', 'AggregateError', nodeGroup(a.pay), nodeGroup(b.pay)),
  ...traces(
    'dotnet: mail and pay',
    AGGREGATE,
    dotnetGroup(['no route', 'no card'], c.mail, c.pay),
    dotnetGroup(['no card', 'no route'], d.pay, d.mail),
    dotnetGroup(['no card', 'no route', 'no card'], d.pay, c.mail, c.pay),
    olderDotnetGroup(d.mail, d.pay),
  ),
  ...traces(
    'dotnet: mail alone',
    AGGREGATE,
    dotnetGroup(['no route'], c.mail),
    dotnetGroup(['no route'], d.mail),
  ),
  ...traces(
    'go: mail and pay',
    GO,
    ['mail: no route to 10.0.0.1\npay: no card', goStack(5)],
    ['pay: no card\nmail: no route to 10.0.0.9', goStack(8)],
    ['pay: no card\npay: no card\nmail: no route to 10.0.0.7', goStack(8)],
  ),
  ...traces('go: mail and print', GO, ['mail: no route to 10.0.0.1\nprint: no paper', goStack(5)]),
];
