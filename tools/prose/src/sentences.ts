import type { Link, Paragraph } from 'mdast'
import { toNlcst } from 'mdast-util-to-nlcst'
import type { Root, SentenceContent } from 'nlcst'
import { toString } from 'nlcst-to-string'
import { ParseEnglish } from 'parse-english'
import remarkFrontmatter from 'remark-frontmatter'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import { unified } from 'unified'
import { visit } from 'unist-util-visit'
import type { VFile } from 'vfile'

/** A paragraph, heading, list item or table cell. */
export interface Block {
  readonly kind: 'paragraph' | 'heading' | 'tableCell'
  readonly tree: Root
  readonly sentences: readonly Sentence[]
}

/** A sentence, or a block that is not a sentence. */
export interface Sentence {
  readonly nodes: readonly SentenceContent[]
  /** On one line, with "…" for each code span and URL. */
  readonly text: string
  /** Counted without code spans and URLs. */
  readonly words: number
  /** Ends with a punctuation mark. */
  readonly isComplete: boolean
  /** @param index - position in `text` */
  readonly pointAt: (index: number) => Point
}

/** Both counted from 1. */
export interface Point {
  readonly line: number
  readonly column: number
}

const markdown = unified().use(remarkParse).use(remarkGfm).use(remarkFrontmatter).freeze()
const english = new ParseEnglish()
const containerMarker = /^:::.*$/gm
const abbreviations = /^(?:[a-z]|e\.g|i\.e|etc|vs|cf|approx|no)\.$/i
const marks = /[.!?:][)"'”’*_]*$/

/** Reads the prose of a Markdown file. Code blocks, HTML and front matter are left out. */
export function blocksOf(file: VFile): readonly Block[] {
  // Same length: positions in the file stay right.
  const text = String(file).replace(containerMarker, (marker) => ' '.repeat(marker.length))
  const blocks: Block[] = []
  visit(markdown.parse(text), (node) => {
    if (node.type !== 'paragraph' && node.type !== 'heading' && node.type !== 'tableCell') return
    // The library skips table cells, but not their content.
    const content: Paragraph = { ...node, type: 'paragraph' }
    const tree = toNlcst(withoutUrls(content), file, english, { ignore: ['html'] })
    blocks.push({ kind: node.type, tree, sentences: sentencesOf(tree) })
  })
  return blocks
}

/** A link whose text is its URL counts as code. */
function withoutUrls(content: Paragraph): Paragraph {
  visit(content, 'link', (node, index, parent) => {
    if (parent && index !== undefined && isUrl(node)) {
      parent.children[index] = { ...node, type: 'inlineCode', value: node.url }
    }
  })
  return content
}

function isUrl({ url, children: [text] }: Link): boolean {
  return text?.type === 'text' && url.endsWith(text.value)
}

function sentencesOf(tree: Root): readonly Sentence[] {
  const sentences: Sentence[] = []
  visit(tree, 'SentenceNode', ({ children }) => {
    for (const part of split(children)) sentences.push(sentenceOf(part))
  })
  return sentences
}

/** The parser joins a sentence to the previous one if it starts with code, a digit or a lower-case letter. */
function split(nodes: readonly SentenceContent[]): readonly (readonly SentenceContent[])[] {
  const starts = nodes.flatMap((node, at) => (isStart(nodes, node, at) ? [at] : []))
  return [0, ...starts].map((start, at) => nodes.slice(start, starts[at]))
}

function isStart(nodes: readonly SentenceContent[], node: SentenceContent, at: number): boolean {
  const [last, space] = nodes.slice(Math.max(at - 2, 0), at)
  if (last === undefined || space?.type !== 'WhiteSpaceNode' || node.type === 'WhiteSpaceNode') return false
  const end = toString(last)
  return /[.!?]$/.test(end) && !abbreviations.test(end)
}

function sentenceOf(nodes: readonly SentenceContent[]): Sentence {
  const parts: { readonly at: number; readonly point: Point }[] = []
  let text = ''
  for (const node of nodes) {
    if (node.position) parts.push({ at: text.length, point: node.position.start })
    text += textOf(node)
  }
  const pointAt = (index: number): Point => {
    const { at = 0, point = { line: 1, column: 1 } } = parts.findLast((part) => part.at <= index) ?? {}
    return { line: point.line, column: point.column + index - at }
  }
  const words = nodes.filter(({ type }) => type === 'WordNode').length
  return { nodes, text, words, isComplete: marks.test(text.trimEnd()), pointAt }
}

function textOf(node: SentenceContent): string {
  if (node.type === 'SourceNode') return '…'
  if (node.type === 'WhiteSpaceNode') return ' '
  return toString(node)
}
