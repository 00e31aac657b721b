import { type Page, readPages } from './page.ts'

/** A block of code between fences. */
export interface Fence {
  readonly page: string
  /** Line of the opening fence, from 1. */
  readonly line: number
  readonly language: string
  /** What stands behind the language, such as `run`. */
  readonly attributes: readonly string[]
  readonly text: string
}

const opening = /^( *)(`{3,}|~{3,})\s*(.*?)\s*$/

/** The fences of a page in their order. */
export function fencesOf({ path, text }: Page): readonly Fence[] {
  const fences: Fence[] = []
  let open: { line: number; indent: string; mark: string; info: string; lines: string[] } | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const [, indent = '', mark = '', info = ''] = opening.exec(line) ?? []
    if (open === undefined) {
      if (mark !== '') open = { line: index + 1, indent, mark, info, lines: [] }
      continue
    }
    const isEnd = mark.startsWith(open.mark) && info === ''
    if (!isEnd) {
      open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line)
      continue
    }
    const [language = '', ...attributes] = open.info.split(/\s+/)
    fences.push({ page: path, line: open.line, language, attributes, text: `${open.lines.join('\n')}\n` })
    open = undefined
  }
  if (open !== undefined) throw new Error(`${path}:${open.line} opens a fence that does not end`)
  return fences
}

/** The fences of all pages. */
export const allFences: readonly Fence[] = readPages().flatMap(fencesOf)

/** Where a fence stands, for messages. */
export function placeOf({ page, line }: Fence): string {
  return `${page}:${line}`
}

/** What a page says that a fence prints: the block of text behind it, when there is one. */
export function outputOf(fence: Fence): string | undefined {
  const next = allFences[allFences.indexOf(fence) + 1]
  const isOutput = next?.page === fence.page && next.language === 'text' && next.attributes.length === 0
  return isOutput ? next.text : undefined
}
