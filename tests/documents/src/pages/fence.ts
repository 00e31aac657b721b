import { type Page, readPages } from './page.ts'

/** A fenced code block. */
export interface Fence {
  readonly page: string
  /** Line of the opening fence, starting at 1. */
  readonly line: number
  readonly language: string
  /** The words after the language, such as `run`. */
  readonly attributes: readonly string[]
  readonly text: string
}

const opening = /^( *)(`{3,}|~{3,})\s*(.*?)\s*$/

/** The fences of a page, in order. */
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

/** The position of a fence, for messages. */
export function placeOf({ page, line }: Fence): string {
  return `${page}:${line}`
}

/** The expected output of a fence: the text block after it, if there is one. */
export function outputOf(fence: Fence): string | undefined {
  const next = allFences[allFences.indexOf(fence) + 1]
  const isOutput = next?.page === fence.page && next.language === 'text' && next.attributes.length === 0
  return isOutput ? next.text : undefined
}
