import type { MarkdownRenderer } from 'vitepress'
import { drawing } from './drawing.ts'

/**
 * Draws diagrams, and highlights each block of code once: a page is rendered for the browser, for the files of the site and for the
 * search. Indented blocks are rendered as fenced ones, which a reader can scroll.
 */
export function fences(md: MarkdownRenderer): void {
  const { fence } = md.renderer.rules
  const rendered = new Map<string, string>()
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const token = tokens[index]
    const key = `${token?.info}\n${token?.content}`
    const known = rendered.get(key)
    if (known !== undefined) return known
    const isDiagram = token?.info.trim() === 'mermaid'
    const html = isDiagram ? drawing(token.content) : (fence?.(tokens, index, ...rest) ?? '')
    rendered.set(key, html)
    return html
  }
  md.renderer.rules.code_block = md.renderer.rules.fence
}
