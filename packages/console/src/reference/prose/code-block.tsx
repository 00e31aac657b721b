import { useRef } from 'preact/hooks'
import { CopyButton } from '../../components/copy.tsx'

/** Several lines of code with a copy button. */
export function CodeBlock({ label, text }: { readonly label: string; readonly text: string }) {
  const codeElement = useRef<HTMLElement>(null)
  return (
    <div class="code-frame">
      <div class="code-frame-head">
        <span>{label}</span>
        <CopyButton label={label} value={text} target={codeElement} />
      </div>
      <pre tabIndex={0} role="group" aria-label={label}>
        <code ref={codeElement}>{text}</code>
      </pre>
    </div>
  )
}
