import type { ComponentChildren } from 'preact'
import { Dialog } from '../components/dialog.tsx'
import { QueryView } from '../components/query-view.tsx'
import { announce } from '../components/toasts.tsx'
import type { Version } from '../platform/client.ts'
import { useQuery } from '../platform/use-query.ts'
import { Form } from './form.tsx'

/** A dialog with a form that creates an object. */
export function CreateDialog({
  title,
  submit,
  create,
  onClose,
  children,
}: {
  readonly title: string
  readonly submit: string
  create(values: FormData): Promise<void>
  onClose(): void
  readonly children: ComponentChildren
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form submit={submit} onSubmit={create} onCancel={onClose}>
        {children}
      </Form>
    </Dialog>
  )
}

/**
 * A dialog that edits an object. It loads the current version when it opens, and fails if the object changes in the
 * meantime.
 */
export function EditDialog<Value>({
  title,
  load,
  save,
  onSaved,
  onClose,
  children,
}: {
  readonly title: string
  load(): Promise<Version<Value>>
  save(values: FormData, etag: string | undefined): Promise<unknown>
  onSaved(): void
  onClose(): void
  /** The fields, with the loaded values. */
  children(value: Value): ComponentChildren
}) {
  const query = useQuery(load, [])
  return (
    <Dialog title={title} onClose={onClose}>
      <QueryView query={query} lines={3}>
        {({ value, etag }) => (
          <Form
            key={etag ?? ''}
            submit="Save"
            onCancel={onClose}
            onReload={query.reload}
            onSubmit={async (values) => {
              await save(values, etag)
              announce('Saved')
              onClose()
              onSaved()
            }}
          >
            {children(value)}
          </Form>
        )}
      </QueryView>
    </Dialog>
  )
}

/** A confirmation before an action that cannot be undone. */
export function ConfirmDialog<Result>({
  title,
  submit,
  confirm,
  done,
  onDone,
  onClose,
  children,
}: {
  readonly title: string
  readonly submit: string
  confirm(): Promise<Result>
  /** The announcement after the action. */
  readonly done: string
  onDone(result: Result): void
  onClose(): void
  readonly children: ComponentChildren
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        submit={submit}
        isDanger
        onCancel={onClose}
        onSubmit={async () => {
          const result = await confirm()
          announce(done)
          onClose()
          onDone(result)
        }}
      >
        <p>{children}</p>
      </Form>
    </Dialog>
  )
}
