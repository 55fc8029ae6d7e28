import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type HostFolder, installedFolder } from '../../sdk-test-hosts/hosts.ts';
import { type RecordingEndpoint, startRecordingEndpoint } from './support/recording-endpoint.ts';
import { connectedTo } from './support/run-program.ts';

/** NestJS beside HTTP, with the one line of the README: GraphQL by Apollo, gateways of WebSockets, and messages. */

const INSTALL_MAX_MS = 300_000;

let host: HostFolder;
let endpoint: RecordingEndpoint;
beforeAll(async () => {
  endpoint = await startRecordingEndpoint();
  host = await installedFolder({
    ...{ '@nestjs/common': '12.5.1', '@nestjs/core': '12.5.1', '@nestjs/platform-express': '12.5.1' },
    ...{ '@nestjs/graphql': '14.0.3', '@nestjs/apollo': '14.0.3', '@apollo/server': '5.5.1' },
    ...{
      '@as-integrations/express5': '1.1.2',
      graphql: '16.15.0',
      'reflect-metadata': '0.2.2',
      rxjs: '7.8.2',
    },
    ...{ '@nestjs/websockets': '12.1.1', '@nestjs/platform-ws': '12.1.1', ws: '8.23.0' },
    '@nestjs/microservices': '12.1.1',
  });
}, INSTALL_MAX_MS);
afterAll(async () => {
  await endpoint?.close();
  await host?.remove();
});

const APPLICATION = `
import { flush, getDiagnostics, init } from '@culprit/node';
init({ capture: { outgoing: false } });
import 'reflect-metadata';
import { createServer } from 'node:net';
import { Catch, Controller, ForbiddenException, Module, NotFoundException, UseFilters, UseGuards, UseInterceptors } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApolloDriver } from '@nestjs/apollo';
import { Field, GraphQLModule, ObjectType, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { GraphQLError } from 'graphql';
import { ClientProxyFactory, MessagePattern, RpcException, Transport } from '@nestjs/microservices';
import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway, WsException } from '@nestjs/websockets';
import { culpritModule } from '@culprit/node/nest';

class Breaks { canActivate() { throw new TypeError('of a guard'); } }
class Refuses { canActivate() { throw new ForbiddenException(); } }
class BreaksAround { intercept() { throw new TypeError('of an interceptor'); } }
@Catch() class AnswersAll { catch(error: any) { return error; } }

@ObjectType() class Order { @Field(() => String, { nullable: true }) stock?: string; }
@Resolver(() => Order) class Orders {
  @Query(() => Order) order() { return {}; }
  @ResolveField() stock() { throw new TypeError('of a field'); }
  @Query(() => String, { nullable: true }) boom() { throw new TypeError('of a resolver'); }
  @UseGuards(Breaks) @Query(() => String, { nullable: true }) guarded() { return ''; }
  @UseFilters(AnswersAll) @UseGuards(Breaks) @Query(() => String, { nullable: true }) hidden() { return ''; }
  @UseInterceptors(BreaksAround) @Query(() => String, { nullable: true }) around() { return ''; }
  @UseGuards(Refuses) @Query(() => String, { nullable: true }) refused() { return ''; }
  @Query(() => String, { nullable: true }) missing() { throw new NotFoundException(); }
  @Query(() => String, { nullable: true }) late() { throw new GraphQLError('too late'); }
}
@WebSocketGateway() class Gateway {
  @SubscribeMessage('boom') boom() { throw new TypeError('of a gateway'); }
  @SubscribeMessage('later') async later() { throw new TypeError('of a gateway, later'); }
  @SubscribeMessage('refused') refused() { throw new WsException('not yours'); }
}
@Controller() class Messages {
  @MessagePattern('boom') boom() { throw new TypeError('of a message'); }
  @UseGuards(Breaks) @MessagePattern('guarded') guarded() { return ''; }
  @MessagePattern('refused') refused() { throw new RpcException('not yours'); }
}
@Module({ imports: [culpritModule(), GraphQLModule.forRoot({ driver: ApolloDriver, autoSchemaFile: true } as any)], controllers: [Messages], providers: [Orders, Gateway] })
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: false });
app.useWebSocketAdapter(new WsAdapter(app));
const probe = createServer().listen(0);
const { port: messages } = probe.address() as any;
probe.close();
const options = { transport: Transport.TCP, options: { port: messages } } as any;
app.connectMicroservice(options, { inheritAppConfig: true });
await app.startAllMicroservices();
await app.listen(0);
while (getDiagnostics().policyPreset === null) await new Promise((done) => setTimeout(done, 20));
const { port } = app.getHttpServer().address();
const settle = () => new Promise((done) => setTimeout(done, 30)).then(() => flush());
for (const query of ['boom', 'guarded', 'hidden', 'around', 'order { stock }', 'refused', 'missing', 'late', 'unknown']) {
  const answer = await fetch('http://127.0.0.1:' + port + '/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query: '{ ' + query + ' }' }) });
  await answer.text();
  await settle();
}
for (const event of ['boom', 'later', 'refused']) {
  const socket = new WebSocket('ws://127.0.0.1:' + port);
  await new Promise((done) => socket.addEventListener('open', done));
  const answered = new Promise((done) => socket.addEventListener('message', done));
  socket.send(JSON.stringify({ event, data: {} }));
  await Promise.race([answered, new Promise((done) => setTimeout(done, 2_000))]);
  socket.close();
  await settle();
}
const client = ClientProxyFactory.create(options);
for (const pattern of ['boom', 'guarded', 'refused', 'unknown']) {
  await new Promise((done) => client.send(pattern, {}).subscribe({ error: done, complete: () => done(null) }));
  await settle();
}
process.exit(0);
`;

it('reports what handlers, guards, interceptors and fields throw, once each, and no refusal', async () => {
  const input = host.write('app.ts', APPLICATION);
  const bundler = await rolldown({
    input,
    platform: 'node',
    // The helpers of the bundler are its own.
    external: (id) => !/^[./]|^@oxc-project/.test(id),
    transform: { decorator: { legacy: true, emitDecoratorMetadata: true } },
    onLog: () => {},
  });
  await bundler.write({ file: join(host.path, 'app.mjs'), format: 'esm', codeSplitting: false });
  await bundler.close();
  await promisify(execFile)(process.execPath, ['app.mjs'], {
    cwd: host.path,
    env: { PATH: process.env.PATH ?? '', ...connectedTo(endpoint.url) },
  });
  const found = endpoint.events().map(({ payload }) => `${Object(payload).message}`);
  expect(found).toEqual([
    ...['of a resolver', 'of a guard', 'of a guard', 'of an interceptor', 'of a field'],
    ...['of a gateway', 'of a gateway, later', 'of a message', 'of a guard'],
  ]);
}, 180_000);
