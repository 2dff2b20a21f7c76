// The resources of the machine, who has them, and who waits for them.
import { get } from './api.js';
import { element, table, cells, number, state, meter } from './dom.js';

export function queueView(view, trouble) {
  const box = element('div', { 'aria-live': 'polite' }, element('p', { 'aria-busy': 'true' }, 'Loading ...'));
  view.append(box);

  let left = false; // an answer that comes after the view was left says nothing

  async function refresh() {
    const [about, { jobs }] = await Promise.all([get('/api/resources'), get('/api/jobs')]);
    if (left) return;
    const { machine, free, queue, usedCoreSeconds, memoryMegabytes } = about;
    const running = jobs.filter((job) => job.state === 'running' || job.state === 'stopping');
    const waiting = queue.map((id) => jobs.find((job) => job.id === id)).filter(Boolean);
    const memory = Object.values(memoryMegabytes).reduce((sum, each) => sum + each, 0);
    box.replaceChildren(
      element('div', { class: 'columns narrow' },
        card('Cores', meter(machine.cores - free.cores, machine.cores, (machine.cores - free.cores) + ' of ' + machine.cores + ' given to jobs')),
        card('Memory', meter(memory, machine.memoryMegabytes, gigabytes(memory) + ' of ' + gigabytes(machine.memoryMegabytes) + ' taken by jobs')),
        machine.devices ? card('Devices', meter(machine.devices - free.devices, machine.devices,
          (machine.devices - free.devices) + ' of ' + machine.devices + ' given to jobs')) : null,
        card('Core time by user', usage(usedCoreSeconds))),
      card('Running', running.length
        ? table(['Job', 'Name', 'User', 'State', 'Cores', 'Memory', 'Memory asked for', 'Where'], running.map((job) => element('tr', {}, ...cells(
          link(job), job.name, job.user, state(job.state), job.cores, memoryMegabytes[job.id] === undefined ? '' : gigabytes(memoryMegabytes[job.id]),
          job.memoryMegabytes ? gigabytes(job.memoryMegabytes) : 'no limit', where(job.given)))), true)
        : element('p', {}, 'No job runs.')),
      card('Waiting, in the order in which they start', waiting.length
        ? table(['Place', 'Job', 'Name', 'User', 'Priority', 'Cores', 'Waits since', 'Message'], waiting.map((job, i) => element('tr', {}, ...cells(
          i + 1, link(job), job.name, job.user, job.priority, job.cores, new Date(job.submitted).toLocaleTimeString(), job.message))), true)
        : element('p', {}, 'No job waits.')));
  }

  const failed = (error) => { if (!left) trouble(error); };
  refresh().then(() => failed(null), failed);
  const timer = setInterval(() => refresh().catch(failed), 2000);
  return () => { left = true; clearInterval(timer); };
}

const card = (title, ...children) => element('article', {}, element('header', {}, title), ...children);
const link = (job) => element('a', { href: '#jobs/' + job.id }, job.id);
const where = (given) => !given ? '' : [given.cores.length ? 'core ' + given.cores.join(', ') : '', given.devices.length ? 'device ' + given.devices.join(', ') : '']
  .filter(Boolean).join('; ');
const gigabytes = (megabytes) => (megabytes < 1000 ? megabytes + ' MB' : number(megabytes / 1000, 3) + ' GB');

function usage(used) {
  const users = Object.entries(used).sort((a, b) => b[1] - a[1]);
  const most = Math.max(1, ...users.map(([, seconds]) => seconds));
  return users.length
    ? element('div', {}, ...users.map(([user, seconds]) => meter(seconds, most, user + ': ' + number(seconds, 3) + ' s')),
      element('small', {}, 'Of two jobs with one priority the one whose user has used less starts first.'))
    : element('p', {}, 'No core time has been used.');
}
