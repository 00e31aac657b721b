import { renderMermaidSVG } from 'beautiful-mermaid'

const light = { bg: '#ffffff', fg: '#3c3c43' }
const dark = { bg: '#1b1b1f', fg: '#dfdfd6' }

/** Shows of each drawing the one for the colours of the page. */
export const styleOfDrawings =
  '.drawing{overflow-x:auto}.drawing img{max-width:none}html:not(.dark) .diagram.dark,html.dark .diagram.light{display:none}'

/** Draws a diagram when the site is built, light and dark, so that a reader's browser needs no library for it. */
export function drawing(text: string): string {
  // Fonts come from the reader's system.
  const svg = renderMermaidSVG(text, { ...light, transparent: true }).replaceAll(
    /@import url\([^)]*\);?/g,
    '',
  )
  const darkSvg = svg.replaceAll(light.bg, dark.bg).replaceAll(light.fg, dark.fg)
  return `<p class="drawing" tabindex="0">${image('light', svg, text)}${image('dark', darkSvg, text)}</p>\n`
}

function image(look: string, svg: string, text: string): string {
  const address = `data:image/svg+xml,${encodeURIComponent(svg)}`
  return `<img class="diagram ${look}" alt="${description(text)}" src="${address}">`
}

/** Text for screen readers: the parts of the diagram in their order. */
function description(text: string): string {
  const parts = text.match(/\w+(?=[[(])/g) ?? []
  return `Diagram of ${[...new Set(parts)].join(', ') || 'what is described here'}`
}
