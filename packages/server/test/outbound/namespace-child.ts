import { readFile } from 'node:fs/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { checkTarget } from '../../src/platform/outbound/check-target.ts';
import { sendGuarded } from '../../src/platform/outbound/send-guarded.ts';
import { listenAt } from '../support/canaries.ts';
import { createCertificateAuthority } from '../support/certificates.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { startHttpTarget } from '../support/http-target.ts';
import { asHost, PUBLIC_ADDRESSES } from './blocked-addresses.ts';
import { checkOf, deliveryTo, policyWith } from './policy-with.ts';
import { nameEach, runBattery } from './run-battery.ts';

/** Runs in a network where every address of the world is this machine. Prints what it saw as one line of JSON. */

/** What the child found; see `network-namespace.test.ts`. */
export interface NamespaceReport {
  /** The listeners see calls to addresses that nobody has: without that the rest would prove nothing. */
  isWorldHere: boolean;
  battery: { targets: number; wrong: string[] };
  /** TCP connections that this network began while the battery ran, to whatever address and port. */
  connectionsBegun: number;
  canaryConnections: string[];
  good: { targets: number; wrong: string[] };
}

const dns = await startDnsServer();
const canaries = await listenAt([
  { address: '::', port: 80 },
  { address: '::', port: 443 },
]);
await fetch('http://198.51.100.77/').catch(() => {});
const isWorldHere = canaries.connections.splice(0).length > 0;

const begunBefore = await connectionsBegun();
const battery = await runBattery(dns);
const begun = (await connectionsBegun()) - begunBefore;
const canaryConnections = [...canaries.connections];
await canaries.close();

const report: NamespaceReport = {
  isWorldHere,
  battery,
  connectionsBegun: begun,
  canaryConnections,
  good: await askGoodTargets(dns),
};
console.log(JSON.stringify(report));
await dns.close();

async function connectionsBegun(): Promise<number> {
  const [names = [], values = []] = (await readFile('/proc/self/net/snmp', 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith('Tcp:'))
    .map((line) => line.split(' '));
  return Number(values[names.indexOf('ActiveOpens')]);
}

async function askGoodTargets(names: DnsServer): Promise<NamespaceReport['good']> {
  const authority = createCertificateAuthority();
  setDefaultCACertificates([...getCACertificates('default'), authority.cert]);
  const certificate = authority.issue(['*.example.com', 'example.com', ...PUBLIC_ADDRESSES]);
  const servers = [
    await startHttpTarget({ address: '::', port: 80 }),
    await startHttpTarget({ address: '::', port: 443, certificate }),
  ];
  const policy = policyWith({ nameServers: [names.address] });
  const hosts = [
    ...PUBLIC_ADDRESSES.map(asHost),
    ...nameEach(names, PUBLIC_ADDRESSES),
    ...otherGoodNames(names),
  ];
  const wrong: string[] = [];
  for (const host of hosts) {
    const outcomes = {
      [`check target http://${host}`]: await checkTarget(`http://${host}/`, policy),
      [`check http://${host}`]: await sendGuarded(policy, checkOf(`http://${host}/x?y=z`)),
      [`check https://${host}`]: await sendGuarded(policy, checkOf(`https://${host}/x?y=z#part`)),
      [`delivery https://${host}`]: await sendGuarded(policy, deliveryTo(`https://${host}/in`)),
    };
    for (const [asked, outcome] of Object.entries(outcomes)) {
      const isGood = typeof outcome === 'string' ? outcome === 'allowed' : outcome.kind === 'answered';
      if (!isGood) wrong.push(`${asked}: ${JSON.stringify(outcome)}`);
    }
  }
  await Promise.all(servers.map((server) => server.close()));
  return { targets: hosts.length, wrong };
}

function otherGoodNames(names: DnsServer): string[] {
  const [one, two] = ['93.184.216.34', '2606:4700::1'] as const;
  names.set('example.com', { addresses: [one] });
  names.set('both.example.com', { addresses: [one, two] });
  names.set('many.example.com', { addresses: [...PUBLIC_ADDRESSES] });
  names.set('alias.example.com', { addresses: [one], alias: 'elsewhere.example.net' });
  names.set('my_hooks.example.com', { addresses: [one] });
  names.set('xn--bcher-kva.example.com', { addresses: [two] });
  names.set('late.example.com', { addresses: [one], delayMs: 200 });
  names.set('localhost-hooks.example.com', { addresses: [one] });
  names.set('127-0-0-1.example.com', { addresses: [one] });
  return [
    'example.com',
    'both.example.com',
    'many.example.com',
    'alias.example.com',
    'my_hooks.example.com',
    'bücher.example.com',
    'late.example.com',
    'localhost-hooks.example.com',
    '127-0-0-1.example.com',
    'EXAMPLE.com',
    'example.com.',
  ];
}
