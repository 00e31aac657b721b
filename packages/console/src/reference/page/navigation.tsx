import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { documents } from 'virtual:reference'
import type { IndexedDocument, IndexedOperation } from '../documents/reference-index.ts'
import { type SearchResult, search } from '../search/search.ts'
import { MethodBadge } from './method-badge.tsx'
import { hrefOf, type ReferenceRoute } from './route.ts'

/** The search, and below it its results or all documents. */
export function Navigation({ route }: { readonly route: ReferenceRoute }) {
  const [text, setText] = useState('')
  const results = search(documents, text)
  const input = useRef<HTMLInputElement>(null)
  useShortcut(() => input.current?.focus())
  return (
    <>
      <search>
        <input
          ref={input}
          class="input"
          type="search"
          placeholder="Search (Ctrl+K)"
          aria-label="Search all operations"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <div class="small muted search-count" role="status">
          {text.trim() !== '' && (results.length === 0 ? 'No results' : `${results.length} found`)}
        </div>
      </search>
      <nav class="shell-navigation" aria-label="Operations">
        {text.trim() === '' ? <Documents route={route} /> : <Results results={results} route={route} />}
      </nav>
    </>
  )
}

/** Ctrl+K, or Command+K on Apple devices. */
function useShortcut(action: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      action()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}

function Results({
  results,
  route,
}: {
  readonly results: readonly SearchResult[]
  readonly route: ReferenceRoute
}) {
  return (
    <ul class="navigation-group">
      {results.map(({ document, operation }) => (
        <li key={`${document.name} ${operation.id}`}>
          <OperationLink document={document} operation={operation} route={route}>
            <span class="small muted">{document.title}</span>
          </OperationLink>
        </li>
      ))}
    </ul>
  )
}

function Documents({ route }: { readonly route: ReferenceRoute }) {
  return (
    <ul class="navigation-group">
      {documents.map((document) => {
        const isCurrent = document.name === route.document
        return (
          <li key={document.name}>
            <a
              class="navigation-link"
              href={hrefOf(document.name)}
              aria-current={isCurrent && route.operation === undefined ? 'page' : undefined}
            >
              {document.title}
              <span class="navigation-count">{document.operations.length}</span>
            </a>
            {isCurrent && <Groups document={document} route={route} />}
          </li>
        )
      })}
    </ul>
  )
}

function Groups({ document, route }: { readonly document: IndexedDocument; readonly route: ReferenceRoute }) {
  const groups = new Set(document.operations.map(({ group }) => group))
  return (
    <ul class="navigation-groups">
      {[...groups].map((group) => (
        <li key={group} class="navigation-group">
          <div class="navigation-title">
            <Breakable name={group} />
          </div>
          <ul>
            {document.operations
              .filter((operation) => operation.group === group)
              .map((operation) => (
                <li key={operation.id}>
                  <OperationLink document={document} operation={operation} route={route} />
                </li>
              ))}
          </ul>
        </li>
      ))}
    </ul>
  )
}

function OperationLink({
  document,
  operation,
  route,
  children,
}: {
  readonly document: IndexedDocument
  readonly operation: IndexedOperation
  readonly route: ReferenceRoute
  readonly children?: ComponentChildren
}) {
  const link = useRef<HTMLAnchorElement>(null)
  const isCurrent = route.document === document.name && route.operation === operation.id
  useEffect(() => {
    if (isCurrent) link.current?.scrollIntoView({ block: 'nearest' })
  }, [isCurrent])
  return (
    <a
      ref={link}
      class="navigation-link is-operation"
      href={hrefOf(document.name, operation.id)}
      aria-current={isCurrent ? 'page' : undefined}
    >
      <span class="navigation-name">
        <span>
          <Breakable name={operation.name} />
        </span>
        {children}
      </span>
      {operation.method !== undefined && <MethodBadge method={operation.method} />}
    </a>
  )
}

/** A long name with possible line breaks between its words. */
function Breakable({ name }: { readonly name: string }) {
  return (
    <>
      {name.split(/(?<=[._/])|(?<=[a-z])(?=[A-Z])/).map((part, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  )
}
