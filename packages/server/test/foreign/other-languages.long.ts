import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { runCommand } from '../support/run-command.ts';
import { sentryTarget } from '../support/sentry-client.ts';

/**
 * Web applications of other languages with the library of Sentry that the system's package manager has, pointed here by
 * SENTRY_DSN alone (docs/contract/foreign-protocols.md 16.1): `ruby-sinatra ruby-webrick ruby-sentry-ruby` and
 * `golang-go golang-github-getsentry-sentry-go-dev` of Debian. They are passed over where these are not installed.
 */

const RUN_MAX_MS = 180_000;
/** Where Debian puts the sources of Go's packages. */
const GO = { GOPATH: '/usr/share/gocode', GO111MODULE: 'off', GOFLAGS: '', CGO_ENABLED: '0' };

const RUBY_SHOP = `require 'sinatra/base'
require 'sentry-ruby'
require 'rack/mock'
Sentry.init do |config|
  config.release = 'shop@1.4.0'
  config.environment = 'production'
  config.breadcrumbs_logger = [:sentry_logger]
  config.traces_sample_rate = 1.0
  config.background_worker_threads = 0
end
class OrderError < StandardError; end
class Shop < Sinatra::Base
  use Sentry::Rack::CaptureExceptions
  set :raise_errors, true
  set :show_exceptions, false
  set :host_authorization, { permitted_hosts: [] }
  def load_order(number)
    raise KeyError, 'no rows'
  end
  get '/orders/:id' do
    Sentry.set_user(id: 'u-1', email: ENV['MAIL'])
    Sentry.add_breadcrumb(Sentry::Breadcrumb.new(category: 'stock', message: 'stock is low', level: 'warning'))
    begin
      load_order(params['id'])
    rescue KeyError
      raise OrderError, "order #{params['id']} could not be saved"
    end
  end
end
begin
  Rack::MockRequest.new(Shop.new).get('/orders/7?coupon=x', 'HTTP_AUTHORIZATION' => "Bearer #{ENV['TOKEN']}")
rescue OrderError
  puts 'failed as meant'
end
`;

const GO_SHOP = `package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/getsentry/sentry-go"
	sentryhttp "github.com/getsentry/sentry-go/http"
)

type OrderError struct{ cause error }

func (e *OrderError) Error() string { return "order could not be saved: " + e.cause.Error() }
func (e *OrderError) Unwrap() error { return e.cause }

var errNoRows = errors.New("no rows")

func loadOrder(id string) error { return fmt.Errorf("load order %s: %w", id, errNoRows) }

func showOrder(w http.ResponseWriter, r *http.Request) {
	hub := sentry.GetHubFromContext(r.Context())
	hub.Scope().SetUser(sentry.User{ID: "u-1", Email: os.Getenv("MAIL")})
	hub.AddBreadcrumb(&sentry.Breadcrumb{Category: "stock", Message: "stock is low", Level: sentry.LevelWarning}, nil)
	if r.URL.Query().Get("panic") != "" {
		var orders map[string]int
		orders["7"] = 1
	}
	if err := loadOrder("7"); err != nil {
		hub.CaptureException(&OrderError{err})
		w.WriteHeader(500)
	}
}

func main() {
	if err := sentry.Init(sentry.ClientOptions{Release: "shop@1.4.0", Environment: "production", AttachStacktrace: true}); err != nil {
		panic(err)
	}
	handler := sentryhttp.New(sentryhttp.Options{}).Handle(http.HandlerFunc(showOrder))
	for _, query := range []string{"coupon=x", "panic=1"} {
		request := httptest.NewRequest("GET", "http://shop.example/orders/7?"+query, nil)
		request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
		handler.ServeHTTP(httptest.NewRecorder(), request)
	}
	fmt.Println(sentry.Flush(10 * time.Second))
}
`;

describe('applications of other languages', () => {
  let culprit: TestCulprit;
  let client: IncidentClient;
  let dsn: string;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'culprit-languages-'));
    culprit = await startCulprit();
  });
  afterAll(async () => {
    await culprit.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    runCommand(command, args, {
      cwd: folder,
      env: { MAIL: 'kim@planted.example', TOKEN: 'planted-token-1', ...env },
    });

  async function shop(name: string, text: string): Promise<string> {
    client = await connect(culprit, { preset: 'balanced' });
    const { key, number } = await sentryTarget(culprit, client.project);
    dsn = `${culprit.url.replace('://', `://${key}@`)}/${number}`;
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  }

  async function bundleOf(incidentId: string): Promise<DebugBundle> {
    await client.settled();
    const bundle = await client.bundle(incidentId);
    expect(JSON.stringify(bundle)).not.toContain('planted');
    return bundle;
  }

  it(
    'F-25 Sinatra on Rack is one incident with its chain, lines of source, breadcrumbs, release and trace',
    async ({ skip }) => {
      const found = await run('ruby', ['-e', "require 'sinatra/base'; require 'sentry-ruby'"]);
      if (found.code !== 0) return skip('ruby-sinatra and ruby-sentry-ruby are not installed');
      const file = await shop('shop.rb', RUBY_SHOP);
      const { code, output } = await run('ruby', [file], { SENTRY_DSN: dsn, RACK_ENV: 'production' });
      expect(code, output).toBe(0);
      expect(output).toContain('failed as meant');
      const incident = await client.only(1);
      expect(incident).toMatchObject({
        title: 'OrderError: order 7 could not be saved',
        environment: 'production',
        first_release: 'shop@1.4.0',
      });
      const { context, summary, impact } = await bundleOf(incident.incident_id);
      expect(context.error_chain?.items.map(({ type }) => type)).toEqual(['OrderError', 'KeyError']);
      expect(summary.first_application_frame).toMatchObject({ file: expect.stringMatching(/\/shop\.rb$/) });
      const [own] = context.stack?.frames ?? [];
      expect(own).toMatchObject({
        in_app: true,
        context_line: expect.stringContaining('could not be saved'),
        pre_context: expect.arrayContaining(['    rescue KeyError']),
      });
      expect(context.request).toMatchObject({
        method: 'GET',
        path: '/orders/7',
        route_template: '/orders/{param}',
      });
      expect(context.logs?.items.map(({ message }) => message)).toContain('stock is low');
      expect(context.runtime).toMatchObject({ name: 'ruby', runtime_version: expect.stringContaining('3.') });
      expect(context.custom?.context).toMatchObject({
        trace: { op: 'rack.request', trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) },
        modules: { sinatra: expect.any(String), csv: expect.stringMatching(/^\d/) },
      });
      expect(impact.affected_users_estimate).toBe(1);
    },
    RUN_MAX_MS,
  );

  it(
    'F-26 a server of Go is an incident for each error and panic, with request, breadcrumbs and release',
    async ({ skip }) => {
      const file = await shop('main.go', GO_SHOP);
      const found = await run('go', ['list', 'github.com/getsentry/sentry-go/http'], GO);
      if (found.code !== 0) return skip('golang-github-getsentry-sentry-go-dev is not installed');
      const env = { ...GO, GOCACHE: join(folder, 'cache'), SENTRY_DSN: dsn };
      const { code, output } = await run('go', ['run', file], env);
      expect(code, output).toBe(0);
      const incidents = await client.counted(1, 1);
      const error = incidents.find(({ title }) => title.startsWith('*main.OrderError'));
      const panicked = incidents.find(
        ({ title }) => title === 'runtime.plainError: assignment to entry in nil map',
      );
      const ofError = await bundleOf(error?.incident_id ?? '');
      const ofPanic = await bundleOf(panicked?.incident_id ?? '');
      expect(error?.first_release).toBe('shop@1.4.0');
      expect(ofError.context.error_chain?.items.map(({ type }) => type)).toEqual([
        '*main.OrderError',
        '*fmt.wrapError',
        '*errors.errorString',
      ]);
      expect(ofError.context.error).toMatchObject({ handled: true });
      expect(ofPanic.context.error).toMatchObject({ handled: false });
      expect(ofPanic.context.stack?.frames[0]).toMatchObject({
        function: 'showOrder',
        in_app: true,
        context_line: '\t\torders["7"] = 1',
      });
      for (const { context, impact } of [ofError, ofPanic]) {
        expect(context.request).toMatchObject({ method: 'GET', path: '/orders/7' });
        expect(context.logs?.items.map(({ message }) => message)).toContain('stock is low');
        expect(context.custom?.context.trace).toMatchObject({
          trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
        });
        expect(impact.affected_users_estimate).toBe(1);
      }
    },
    RUN_MAX_MS,
  );
});
