/** The text of an answer; of a stream of events, its first event, and then the stream is left. */
export async function firstText(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'text/event-stream' || response.body === null) {
    return await response.text();
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const { value = '' } = await reader.read();
  await reader.cancel();
  return value;
}
