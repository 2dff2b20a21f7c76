// Calls to the service. Every error has the service's own words.

export function key() {
  return sessionStorage.getItem('key') || '';
}

export function setKey(value) {
  sessionStorage.setItem('key', value);
}

function headers(more) {
  return key() ? { ...more, Authorization: 'Bearer ' + key() } : { ...more };
}

export async function call(method, path, body, type = 'application/json') {
  const options = { method, headers: headers(body === undefined ? {} : { 'Content-Type': type }) };
  if (body !== undefined) {
    options.body = type === 'application/json' ? JSON.stringify(body) : body;
  }
  const response = await fetch(path, options);
  const text = await response.text();
  const isJson = (response.headers.get('content-type') || '').includes('json');
  const value = isJson && text ? JSON.parse(text) : text;
  if (!response.ok) {
    throw new Error(value.error || response.statusText);
  }
  return value;
}

export const get = (path) => call('GET', path);

// Follows server-sent events by fetch, which can send a key, as EventSource cannot, from the event after a given one. The listener gets
// the name of an event, its data and its id. Returns a function that ends it.
export function follow(path, listener, from = '0') {
  const controller = new AbortController();
  let last = from;
  let over = false;
  async function read() {
    const response = await fetch(path, { headers: headers({ 'Last-Event-ID': last }), signal: controller.signal });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const events = (rest + value).split('\n\n');
      rest = events.pop();
      for (const event of events) {
        const fields = Object.fromEntries(event.split('\n').map((line) => {
          const colon = line.indexOf(': ');
          return [line.slice(0, colon), line.slice(colon + 2)];
        }));
        if (!fields.event) continue;
        last = fields.id || last;
        over = fields.event === 'end';
        listener(fields.event, JSON.parse(fields.data), last);
      }
    }
  }
  (async () => {
    while (!over && !controller.signal.aborted) {
      try {
        await read();
      } catch (e) {
        if (controller.signal.aborted) return;
      }
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  })();
  return () => controller.abort();
}
