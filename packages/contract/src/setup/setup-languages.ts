/** Languages without a library of ours: a file that reports exceptions over HTTP, and how it is run. */
interface LanguageSetup {
  id: string;
  name: string;
  file: string;
  /** Sends a test error, with token and address in the environment. */
  run: string;
  code: string;
}

export const languageSteps: readonly LanguageSetup[] = [
  {
    id: 'python',
    name: 'Python',
    file: 'culprit.py, and import culprit first',
    run: `python3 -c "import culprit; raise RuntimeError('Hello from Python')"`,
    code: `
import datetime, json, os, sys, traceback, urllib.request


def report(error):
    event = {
        "event_type": "backend_exception",
        "timestamp": datetime.datetime.now(datetime.timezone.utc).isoformat(),
        "service": {"name": "my-app", "environment": "production", "runtime": "python"},
        "payload": {
            "name": type(error).__name__,
            "message": str(error),
            "stack": "".join(traceback.format_exception(type(error), error, error.__traceback__)),
        },
    }
    request = urllib.request.Request(
        os.environ["CULPRIT_ENDPOINT"] + "/v1/events",
        data=json.dumps({"events": [event]}).encode(),
        headers={
            "Authorization": "Bearer " + os.environ["CULPRIT_PROJECT_TOKEN"],
            "Content-Type": "application/json",
        },
    )
    urllib.request.urlopen(request, timeout=5).close()


def on_unhandled(kind, error, trace):
    sys.__excepthook__(kind, error, trace)
    report(error)


sys.excepthook = on_unhandled
`,
  },
  {
    id: 'ruby',
    name: 'Ruby',
    file: 'culprit.rb, and require it first',
    run: `ruby -r ./culprit.rb -e "raise 'Hello from Ruby'"`,
    code: `
require 'json'
require 'net/http'
require 'time'

def report(error)
  event = {
    event_type: 'backend_exception',
    timestamp: Time.now.utc.iso8601(3),
    service: { name: 'my-app', environment: 'production', runtime: 'ruby' },
    payload: { name: error.class.name, message: error.message, stack: error.full_message(highlight: false) }
  }
  Net::HTTP.post(
    URI(ENV.fetch('CULPRIT_ENDPOINT') + '/v1/events'),
    JSON.generate(events: [event]),
    'Authorization' => "Bearer #{ENV.fetch('CULPRIT_PROJECT_TOKEN')}",
    'Content-Type' => 'application/json'
  )
end

at_exit { report($!) if $!.is_a?(StandardError) }
`,
  },
  {
    id: 'php',
    name: 'PHP',
    file: 'culprit.php, and require it first',
    run: `php -r "require 'culprit.php'; throw new Exception('Hello from PHP');"`,
    code: `
<?php
function report(Throwable $error): void
{
    $event = [
        'event_type' => 'backend_exception',
        'timestamp' => gmdate('Y-m-d\\TH:i:s\\Z'),
        'service' => ['name' => 'my-app', 'environment' => 'production', 'runtime' => 'php'],
        'payload' => ['name' => get_class($error), 'message' => $error->getMessage(), 'stack' => (string) $error],
    ];
    file_get_contents(getenv('CULPRIT_ENDPOINT') . '/v1/events', false, stream_context_create(['http' => [
        'method' => 'POST',
        'timeout' => 5,
        'header' => [
            'Authorization: Bearer ' . getenv('CULPRIT_PROJECT_TOKEN'),
            'Content-Type: application/json',
        ],
        'content' => json_encode(['events' => [$event]]),
    ]]));
}

set_exception_handler(function (Throwable $error): void {
    error_log((string) $error);
    report($error);
    exit(1);
});
`,
  },
  {
    id: 'java',
    name: 'Java',
    file: 'Culprit.java, and call Culprit.install() first',
    run: 'java Culprit.java',
    code: `
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;

public class Culprit {
  public static void install() {
    Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {
      error.printStackTrace();
      report(error);
    });
  }

  public static void report(Throwable error) {
    StringWriter stack = new StringWriter();
    error.printStackTrace(new PrintWriter(stack));
    String event = "{\\"event_type\\":\\"backend_exception\\",\\"timestamp\\":" + text(Instant.now().toString())
        + ",\\"service\\":{\\"name\\":\\"my-app\\",\\"environment\\":\\"production\\",\\"runtime\\":\\"java\\"}"
        + ",\\"payload\\":{\\"name\\":" + text(error.getClass().getName())
        + ",\\"message\\":" + text(String.valueOf(error.getMessage())) + ",\\"stack\\":" + text(stack.toString()) + "}}";
    HttpRequest request = HttpRequest.newBuilder(URI.create(System.getenv("CULPRIT_ENDPOINT") + "/v1/events"))
        .header("Authorization", "Bearer " + System.getenv("CULPRIT_PROJECT_TOKEN"))
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString("{\\"events\\":[" + event + "]}"))
        .build();
    try {
      HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.discarding());
    } catch (Exception failure) {
      System.err.println("Not reported: " + failure);
    }
  }

  private static String text(String value) {
    StringBuilder quoted = new StringBuilder("\\"");
    for (char each : value.toCharArray()) {
      if (each < ' ' || each == '"' || each == '\\\\') quoted.append(String.format("\\\\u%04x", (int) each));
      else quoted.append(each);
    }
    return quoted.append('"').toString();
  }

  public static void main(String[] args) {
    install();
    throw new IllegalStateException("Hello from Java");
  }
}
`,
  },
  {
    id: 'go',
    name: 'Go',
    file: 'main.go, and defer Report() first in main and in each goroutine',
    run: 'go run main.go',
    code: `
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"time"
)

// Report reports a panic and raises it again.
func Report() {
	failure := recover()
	if failure == nil {
		return
	}
	event := map[string]any{
		"event_type": "backend_exception",
		"timestamp":  time.Now().UTC().Format(time.RFC3339Nano),
		"service":    map[string]any{"name": "my-app", "environment": "production", "runtime": "go"},
		"payload": map[string]any{
			"name": "panic", "message": fmt.Sprint(failure), "stack": string(debug.Stack()),
		},
	}
	body, _ := json.Marshal(map[string]any{"events": []any{event}})
	request, err := http.NewRequest("POST", os.Getenv("CULPRIT_ENDPOINT")+"/v1/events", bytes.NewReader(body))
	if err == nil {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("CULPRIT_PROJECT_TOKEN"))
		request.Header.Set("Content-Type", "application/json")
		client := http.Client{Timeout: 5 * time.Second}
		if answer, err := client.Do(request); err == nil {
			answer.Body.Close()
		}
	}
	panic(failure)
}

func main() {
	defer Report()
	panic("Hello from Go")
}
`,
  },
  {
    id: 'dotnet',
    name: '.NET',
    file: 'Program.cs of a console application',
    run: 'dotnet run',
    code: `
using System.Net.Http.Headers;
using System.Net.Http.Json;

AppDomain.CurrentDomain.UnhandledException += (_, unhandled) =>
{
    if (unhandled.ExceptionObject is Exception error) Culprit.Report(error);
};
throw new InvalidOperationException("Hello from .NET");

static class Culprit
{
    public static void Report(Exception error)
    {
        using var client = new HttpClient { Timeout = TimeSpan.FromSeconds(5) };
        client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue(
            "Bearer", Environment.GetEnvironmentVariable("CULPRIT_PROJECT_TOKEN"));
        var reported = new
        {
            event_type = "backend_exception",
            timestamp = DateTime.UtcNow.ToString("o"),
            service = new { name = "my-app", environment = "production", runtime = "dotnet" },
            payload = new { name = error.GetType().FullName, message = error.Message, stack = error.ToString() },
        };
        client.PostAsJsonAsync(
            Environment.GetEnvironmentVariable("CULPRIT_ENDPOINT") + "/v1/events",
            new { events = new[] { reported } }).GetAwaiter().GetResult();
    }
}
`,
  },
];
