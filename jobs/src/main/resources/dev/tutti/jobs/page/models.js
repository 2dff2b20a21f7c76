// The models: versions, traffic, times and batch sizes.
import { call, get } from './api.js';
import { element, table, cells, number, chart, COLOURS } from './dom.js';

export function modelsView(view, trouble) {
  const box = element('div');
  view.append(box);
  let charts = [];

  async function refresh() {
    const { models } = await get('/models');
    charts.forEach((one) => one.destroy());
    charts = [];
    box.replaceChildren(...(models.length ? models.map(model)
      : [element('p', {}, 'No model is served yet: a job that publishes one adds it here.')]));
  }

  function model(one) {
    const rows = one.versions.map((version) => element('tr', {}, ...cells(
      version.version, version.version === one.current ? 'current' : '', labels(one, version.version), version.made,
      Object.entries(version.metrics?.metrics || {}).map(([name, value]) => name + ' ' + number(value)).join(', '),
      version.rows, ms(version.latencySeconds.p50), ms(version.latencySeconds.p99),
      number(version.parameterBytes / 1e6, 3) + ' MB')));
    const current = one.versions.find((version) => version.version === one.current) || one.versions[0];
    return element('article', { 'data-model': one.name },
      element('header', {}, element('strong', {}, one.name), ' ',
        action('step back', '/models/' + one.name + '/rollback'), ' ', action('follow the newest', '/models/' + one.name + '/follow')),
      table(['Version', '', 'Labels', 'Made', 'Quality', 'Rows', 'p50', 'p99', 'Parameters'], rows),
      current ? element('div', { class: 'columns' },
        bars('Answer times of version ' + current.version, current.latencySeconds, (bound) => bound * 1000 + ' ms'),
        bars('Rows of a batch', current.batchRows, String)) : null);
  }

  function action(words, path) {
    return element('button', { type: 'button', class: 'small outline', onclick: () =>
      call('POST', path).then(() => { trouble(null); refresh(); }, trouble) }, words);
  }

  function bars(title, histogram, name) {
    const { box: made, made: drawn } = chart(title, 'bar', {});
    drawn.data.labels = [...histogram.bounds.map(name), 'more'];
    drawn.data.datasets = [{ label: 'so far', data: histogram.counts, backgroundColor: COLOURS[0] }];
    drawn.update();
    charts.push(drawn);
    return made;
  }

  refresh().then(() => trouble(null), trouble);
  const timer = setInterval(() => refresh().catch(trouble), 5000);
  return () => { clearInterval(timer); charts.forEach((one) => one.destroy()); };
}

const ms = (seconds) => (seconds === undefined ? '' : number(seconds * 1000, 3) + ' ms');

function labels(model, version) {
  return Object.entries(model.labels).filter(([, label]) => label.version === version)
    .map(([name, label]) => name + (label.share ? ' (' + label.share + ')' : '')).join(', ');
}
