import type { RefObject } from 'preact'
import { useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'
import { announce } from './toasts.tsx'

/** A value with a button that copies it. */
export function CopyValue({ label, value }: { readonly label: string; readonly value: string }) {
  const valueElement = useRef<HTMLSpanElement>(null)
  return (
    <div class="copy-value">
      <span ref={valueElement} class="code">
        {value}
      </span>
      <CopyButton label={label} value={value} target={valueElement} />
    </div>
  )
}

/** Copies a value that is shown elsewhere. */
export function CopyButton({
  label,
  value,
  target,
}: {
  readonly label: string
  readonly value: string
  /** The element to select when the page has no clipboard access. */
  readonly target: RefObject<HTMLElement | null>
}) {
  const copy = async () => {
    const hasCopied = await write(value)
    if (!hasCopied && target.current) select(target.current)
    announce(hasCopied ? `${label} copied` : 'Text selected. Press Ctrl+C to copy.')
  }
  return (
    <button
      type="button"
      class="button is-quiet is-small"
      aria-label={`Copy ${label}`}
      onClick={() => void copy()}
    >
      <Icon name="copy" />
      Copy
    </button>
  )
}

// Over plain HTTP from another machine a page has no access to the clipboard.
async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

function select(element: HTMLElement): void {
  const range = document.createRange()
  range.selectNodeContents(element)
  getSelection()?.removeAllRanges()
  getSelection()?.addRange(range)
}
