import { useEffect, useRef } from 'preact/hooks'
import { Badge } from '../../components/badge.tsx'
import { indented } from '../../playground/send.ts'
import { CodeBlock } from '../prose/code-block.tsx'
import type { Outcome } from './send.ts'

/** The response of a request. */
export function OutcomeView({ outcome }: { readonly outcome: Outcome }) {
  const { status, milliseconds, bytes, headers, text, isComplete, isTruncated } = outcome
  const view = useRef<HTMLDivElement>(null)
  useEffect(() => view.current?.scrollIntoView({ block: 'nearest' }), [isComplete])
  return (
    <div ref={view} class="stack is-tight outcome">
      <p class="row" role="status">
        <Badge tone={status < 400 ? 'good' : 'bad'}>{status}</Badge>
        <span class="muted small">
          {milliseconds} ms, {bytes.toLocaleString()} bytes{!isComplete && ', receiving'}
          {isTruncated && ', truncated'}
        </span>
      </p>
      <details>
        <summary>Headers</summary>
        <dl class="headers">
          {headers.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
      {text !== '' && <CodeBlock label="Response" text={isComplete ? indented(text) : text} />}
    </div>
  )
}
