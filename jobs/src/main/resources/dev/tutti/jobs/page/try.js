// A place to try a model: draw, upload an image, or type a row.
import { call, get } from './api.js';
import { element } from './dom.js';

export function tryView(view, trouble) {
  const choice = element('select', { 'aria-label': 'Model' });
  const canvas = element('canvas', { class: 'draw', width: '280', height: '280', tabindex: '0', 'aria-label': 'Draw here' });
  const answer = element('div', { role: 'status', id: 'answer' });
  const file = element('input', { type: 'file', accept: 'image/png,image/jpeg', 'aria-label': 'An image' });
  const row = element('textarea', { rows: '3', 'aria-label': 'A row', placeholder: '[1, 2, 3, 4] or 1,2,3,4' });
  const pen = drawing(canvas, askDrawing);
  view.append(choice, element('div', { class: 'columns' },
    element('article', {}, element('header', {}, 'Draw'), canvas, element('div', {},
      element('button', { type: 'button', class: 'small outline', onclick: () => { pen.clear(); answer.replaceChildren(); } }, 'Clear'))),
    element('article', {}, element('header', {}, 'Or give an image or a row'), file, row,
      element('button', { type: 'button', class: 'small', onclick: askRow }, 'Ask')),
    element('article', {}, element('header', {}, 'Answer'), answer)));

  const path = () => '/models/' + choice.value + '/predict';
  async function ask(body, type) {
    try {
      const began = performance.now();
      const reply = await call('POST', path(), body, type);
      trouble(null);
      show(reply, performance.now() - began);
    } catch (e) { trouble(e); }
  }
  function askDrawing() {
    canvas.toBlob((png) => ask(png, 'image/png'), 'image/png');
  }
  function askRow() {
    const text = row.value.trim();
    if (text.startsWith('[')) ask(JSON.parse(text)); else ask(text, 'text/csv');
  }
  file.addEventListener('change', () => { if (file.files[0]) ask(file.files[0], file.files[0].type); });

  function show(reply, millis) {
    answer.replaceChildren(...reply.predictions.flatMap((one) => one.top
      ? [element('h2', { id: 'class' }, one.class), ...one.top.map((each) => element('div', { class: 'bar' },
        element('span', {}, each.class), element('progress', { value: each.probability, max: '1' }),
        element('span', {}, (100 * each.probability).toFixed(1) + '%')))]
      : [element('pre', {}, JSON.stringify(one.output ?? one))]),
    element('small', {}, reply.model + ' version ' + reply.version + ', ' + millis.toFixed(0) + ' ms'));
  }

  get('/models').then(({ models }) => {
    choice.replaceChildren(...models.map((model) => element('option', {}, model.name)));
    trouble(models.length ? null : new Error('No model is served yet.'));
  }, trouble);
  return () => {};
}

// White strokes on black, as the digits of MNIST are.
function drawing(canvas, done) {
  const pen = canvas.getContext('2d');
  let down = false;
  function clear() {
    pen.fillStyle = '#000';
    pen.fillRect(0, 0, canvas.width, canvas.height);
  }
  function place(event) {
    const box = canvas.getBoundingClientRect();
    return [(event.clientX - box.left) * canvas.width / box.width, (event.clientY - box.top) * canvas.height / box.height];
  }
  canvas.addEventListener('pointerdown', (event) => {
    down = true;
    canvas.setPointerCapture(event.pointerId);
    pen.beginPath();
    pen.moveTo(...place(event));
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!down) return;
    pen.strokeStyle = '#fff';
    pen.lineWidth = 22;
    pen.lineCap = pen.lineJoin = 'round';
    pen.lineTo(...place(event));
    pen.stroke();
  });
  canvas.addEventListener('pointerup', () => { if (down) { down = false; done(); } });
  clear();
  return { clear };
}
