// Small helpers to build a page: text is always text, never markup.

export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) {
      node.addEventListener(name.slice(2), value);
    } else if (value === true) {
      node.setAttribute(name, '');
    } else if (value !== false && value !== undefined && value !== null) {
      node.setAttribute(name, value);
    }
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// A stacked one shows each row as a list of its cells where the page is narrow.
export function table(heads, rows, stacked = false) {
  rows.forEach((row) => [...row.children].forEach((cell, i) => cell.setAttribute('data-head', heads[i])));
  return element('div', { class: stacked ? 'scroll stacked' : 'scroll' }, element('table', {},
    element('thead', {}, element('tr', {}, ...heads.map((head) => element('th', { scope: 'col' }, head)))),
    element('tbody', {}, ...rows)));
}

export const cells = (...values) => values.map((value) =>
  element('td', {}, value instanceof Node ? value : String(value ?? '')));

export function number(value, digits = 4) {
  return typeof value === 'number' ? Number(value.toPrecision(digits)).toString() : String(value ?? '');
}

export function chart(title, type = 'line', options = {}) {
  const canvas = element('canvas', { role: 'img', 'aria-label': title });
  const box = element('article', {}, element('header', {}, title), element('div', { class: 'chart' }, canvas));
  const style = getComputedStyle(document.documentElement);
  const colour = style.getPropertyValue('--pico-color');
  const grid = { color: style.getPropertyValue('--pico-muted-border-color') };
  const made = new Chart(canvas, {
    type,
    data: { labels: [], datasets: [] },
    options: {
      animation: false, responsive: true, maintainAspectRatio: false, parsing: type !== 'line', color: colour,
      scales: {
        x: { type: type === 'line' ? 'linear' : 'category', grid, ticks: { color: colour, precision: 0 }, title: { display: !!options.x, text: options.x, color: colour } },
        y: { grid, ticks: { color: colour, precision: type === 'bar' ? 0 : undefined }, beginAtZero: type === 'bar' },
      },
      elements: { point: { radius: options.points ? 3 : 0 }, line: { borderWidth: 2 } },
      plugins: { legend: { display: type === 'line', labels: { color: colour, usePointStyle: true, pointStyle: 'line' } } },
    },
  });
  return { box, made };
}

export const COLOURS = ['#2f81f7', '#e5534b', '#57ab5a', '#c69026', '#986ee2'];

export const state = (name) => element('span', { class: 'state ' + name }, name);

export function meter(value, most, words) {
  return element('label', { class: 'meter' }, words, element('progress', { value: String(Math.min(value, most)), max: String(Math.max(most, 1e-9)) }));
}
