// The models: versions, traffic, times and batch sizes.
import { call, get } from './api.js';
import { element, table, cells, number, chart, COLOURS } from './dom.js';

export function modelsView(view, trouble) {
  const box = element('div');
  view.append(box);
  let charts = [];
  let left = false; // an answer that comes after the view was left draws nothing

  async function refresh(always = false) {
    const { models } = await get('/models');
    const learning = await Promise.all(models.map((model) => get('/models/' + model.name + '/learn').catch(() => null)));
    if (left || (!always && box.querySelector('details[open]'))) return; // a form that is open would be closed
    charts.forEach((one) => one.destroy());
    charts = [];
    box.replaceChildren(...(models.length ? models.map((one, i) => model(one, learning[i]))
      : [element('p', {}, 'No model is served yet: a job that publishes one adds it here.')]));
  }

  function model(one, learned) {
    const all = one.versions.reduce((sum, version) => sum + version.rows, 0);
    const rows = one.versions.map((version) => element('tr', { class: version.version === one.current ? 'current' : null }, ...cells(
      version.version, version.version === one.current ? 'current' : 'by name', labels(one, version.version), new Date(version.made).toLocaleString(),
      Object.entries(version.metrics?.metrics || {}).map(([name, value]) => name + ' ' + number(value)).join(', '),
      version.rows + (all ? ' (' + Math.round(100 * version.rows / all) + '%)' : ''), ms(version.latencySeconds.p50), ms(version.latencySeconds.p99),
      version.queuedRows, number(version.parameterBytes / 1e6, 3) + ' MB')));
    const current = one.versions.find((version) => version.version === one.current) || one.versions[0];
    return element('article', { 'data-model': one.name },
      element('header', { class: 'modelhead' }, element('strong', {}, one.name),
        one.pinned ? element('span', { class: 'state paused' }, 'held at version ' + one.pinned) : null,
        element('a', { href: '#try/' + one.name, role: 'button', class: 'small outline' }, 'try'),
        action('step back', '/models/' + one.name + '/rollback'), action('follow the newest', '/models/' + one.name + '/follow')),
      table(['Version', 'Answers', 'Labels', 'Made', 'Quality', 'Rows', 'p50', 'p99', 'Waiting', 'Parameters'], rows),
      Object.entries(one.failures || {}).length ? element('p', { class: 'state failed' }, Object.entries(one.failures)
        .map(([version, why]) => 'version ' + version + ' is not served: ' + why).join('; ')) : null,
      current ? element('div', { class: 'columns' },
        bars('Answer times of version ' + current.version, current.latencySeconds, (bound) => (bound < 1 ? number(bound * 1000, 3) + ' ms' : bound + ' s')),
        bars('Rows of a batch', current.batchRows, String)) : null,
      labelForm(one),
      learned && learned.examples + learned.heldOut > 0 ? element('p', { class: 'learning' }, 'Learning: ' + learned.examples + ' examples, '
        + learned.heldOut + ' held out; ' + learned.state.message) : null);
  }

  // A label with a share of the traffic, such as canary with 10.
  function labelForm(one) {
    const name = element('input', { 'aria-label': 'Label', placeholder: 'label, such as canary' });
    const version = element('input', { 'aria-label': 'Version', type: 'number', min: '1', placeholder: 'version' });
    const share = element('input', { 'aria-label': 'Share of the traffic', type: 'number', min: '0', placeholder: 'share' });
    const set = (method, body) => call(method, '/models/' + one.name + '/labels/' + encodeURIComponent(name.value), body)
      .then(() => { trouble(null); return refresh(true); }).catch(trouble);
    return element('details', {}, element('summary', {}, 'Divide the traffic'), element('div', { class: 'fields' }, name, version, share,
      element('button', { type: 'button', class: 'small', onclick: () => set('PUT', { version: Number(version.value), share: Number(share.value) }) }, 'Set'),
      element('button', { type: 'button', class: 'small outline', onclick: () => set('DELETE') }, 'Remove')));
  }

  function action(words, path) {
    return element('button', { type: 'button', class: 'small outline', onclick: () =>
      call('POST', path).then(() => { trouble(null); return refresh(true); }).catch(trouble) }, words);
  }

  function bars(title, histogram, name) {
    if (histogram.counts.every((count) => count === 0)) {
      return element('article', {}, element('header', {}, title), element('p', { class: 'none' }, 'No request has been answered yet.'));
    }
    const { box: made, made: drawn } = chart(title, 'bar', {});
    drawn.data.labels = [...histogram.bounds.map(name), 'more'];
    drawn.data.datasets = [{ label: 'so far', data: histogram.counts, backgroundColor: COLOURS[0] }];
    drawn.update();
    charts.push(drawn);
    return made;
  }

  const failed = (error) => { if (!left) trouble(error); };
  refresh().then(() => failed(null), failed);
  const timer = setInterval(() => refresh().catch(failed), 5000);
  return () => { left = true; clearInterval(timer); charts.forEach((one) => one.destroy()); };
}

const ms = (seconds) => (seconds === undefined ? '' : number(seconds * 1000, 3) + ' ms');

function labels(model, version) {
  return Object.entries(model.labels).filter(([, label]) => label.version === version)
    .map(([name, label]) => name + (label.share ? ' (' + label.share + ')' : '')).join(', ');
}
