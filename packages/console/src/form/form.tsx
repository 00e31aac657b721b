import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { asProblem, isOutdated, type Problem } from '../platform/problem.ts'
import { useSessionState } from '../platform/session.tsx'

const problemContext = createContext<Problem | undefined>(undefined)

/** The validation errors of a field. */
export function useFieldErrors(name: string): readonly string[] {
  return useContext(problemContext)?.fields[name] ?? []
}

/** A form whose values are read when it is submitted; validation errors of the gateway appear at their fields. */
export function Form({
  submit,
  onSubmit,
  onCancel,
  onReload,
  isDanger = false,
  isWide = false,
  knownFields,
  children,
}: {
  /** Label of the submit button. */
  readonly submit: string
  onSubmit(values: FormData): Promise<void>
  onCancel?(): void
  /** Reloads an object that another user has changed. */
  onReload?(): void
  readonly isDanger?: boolean
  readonly isWide?: boolean
  /** Names of the fields that show their own errors; errors of other fields appear above the buttons. */
  readonly knownFields?: readonly string[]
  readonly children?: ComponentChildren
}) {
  const form = useRef<HTMLFormElement>(null)
  const [problem, setProblem] = useState<Problem>()
  const [isSending, setIsSending] = useState(false)
  useEffect(() => {
    if (problem) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [problem])
  const send = async (element: HTMLFormElement) => {
    setIsSending(true)
    setProblem(undefined)
    try {
      await onSubmit(new FormData(element))
    } catch (error) {
      setProblem(asProblem(error))
    } finally {
      setIsSending(false)
    }
  }
  return (
    <form
      ref={form}
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isSending) void send(event.currentTarget)
      }}
    >
      <problemContext.Provider value={problem}>{children}</problemContext.Provider>
      <div role="alert">
        {problem && (
          <FormProblem
            problem={problem}
            onReload={onReload}
            isKnownField={knownFieldFilter(form.current, knownFields)}
          />
        )}
      </div>
      <div class="form-actions">
        {onCancel && (
          <button type="button" class="button" onClick={onCancel}>
            Cancel
          </button>
        )}
        <button
          type="submit"
          class={`button ${isDanger ? 'is-danger' : 'is-primary'}${isWide ? ' is-wide' : ''}`}
          disabled={isSending}
        >
          {submit}
        </button>
      </div>
    </form>
  )
}

function knownFieldFilter(
  form: HTMLFormElement | null,
  knownFields: readonly string[] = [],
): (name: string) => boolean {
  return (name) => knownFields.includes(name) || form?.elements.namedItem(name) != null
}

function FormProblem({
  problem,
  onReload,
  isKnownField,
}: {
  readonly problem: Problem
  readonly onReload: (() => void) | undefined
  isKnownField(name: string): boolean
}) {
  if (isOutdated(problem)) {
    return (
      <div class="notice is-warn">
        <div>Someone else changed this. Reload to get the latest version. Your changes will be lost.</div>
        {onReload && (
          <button type="button" class="button is-small" onClick={onReload}>
            Reload
          </button>
        )}
      </div>
    )
  }
  if (problem.code === 'recent_sign_in_required') return <RecentSignInNotice message={problem.message} />
  const otherErrors = Object.entries(problem.fields).filter(([name]) => !isKnownField(name))
  const isAtFields = Object.keys(problem.fields).length > 0 && otherErrors.length === 0
  return (
    <div class="notice is-bad">
      <div>
        {isAtFields ? 'Check the highlighted fields.' : problem.message}
        {otherErrors.map(([name, rules]) => (
          <p key={name}>
            {name === 'non_field_errors' ? '' : `${name}: `}
            {rules.join(' ')}
          </p>
        ))}
      </div>
    </div>
  )
}

function RecentSignInNotice({ message }: { readonly message: string }) {
  const { signInAgain } = useSessionState()
  return (
    <div class="notice is-warn">
      <div>{message}</div>
      <button type="button" class="button is-small" onClick={signInAgain}>
        Sign in again
      </button>
    </div>
  )
}
