import { Lexer, type MarkedToken, type Token } from 'marked'
import type { ComponentChildren } from 'preact'

/** Renders a text of the specifications; HTML in it is shown as text. */
export function Markdown({ text }: { readonly text: string }) {
  if (text === '') return null
  return <div class="prose">{nodes(Lexer.lex(text))}</div>
}

/** Renders a text of one paragraph inside another element. */
export function MarkdownLine({ text }: { readonly text: string }) {
  return <>{nodes(Lexer.lexInline(text))}</>
}

function nodes(tokens: readonly Token[] = []): ComponentChildren {
  return tokens.map((token) => node(token as MarkedToken))
}

function node(token: MarkedToken): ComponentChildren {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'paragraph':
      return <p>{nodes(token.tokens)}</p>
    case 'list':
      return list(
        token.ordered,
        token.items.map((item) => <li>{nodes(item.tokens)}</li>),
      )
    case 'code':
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      )
    case 'codespan':
      return <code>{token.text}</code>
    case 'strong':
      return <strong>{nodes(token.tokens)}</strong>
    case 'em':
      return <em>{nodes(token.tokens)}</em>
    case 'link':
      return link(token.href, nodes(token.tokens))
    case 'text':
      return token.tokens ? nodes(token.tokens) : token.text
    case 'escape':
      return token.text
    case 'blockquote':
    case 'br':
    case 'checkbox':
    case 'del':
    case 'heading':
    case 'hr':
    case 'html':
    case 'image':
    case 'list_item':
    case 'table':
      // No text of the specifications has these tokens; they are shown as text.
      break
  }
  return token.raw
}

function list(isOrdered: boolean, items: ComponentChildren) {
  return isOrdered ? <ol>{items}</ol> : <ul>{items}</ul>
}

function link(href: string, children: ComponentChildren) {
  return href.startsWith('https://') ? <a href={href}>{children}</a> : children
}
