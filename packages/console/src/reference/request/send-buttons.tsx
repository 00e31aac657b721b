import type { Sending } from './use-sending.ts'

/** Buttons that send a request and cancel it. */
export function SendButtons({ sending, isReady }: { readonly sending: Sending; readonly isReady: boolean }) {
  return (
    <div class="form-actions is-start">
      <button type="submit" class="button is-primary" disabled={!isReady || sending.isPending}>
        Send
      </button>
      {sending.isPending && (
        <button type="button" class="button" onClick={sending.stop}>
          Stop
        </button>
      )}
      {sending.failure !== '' && (
        <p class="field-error" role="alert">
          {sending.failure}
        </p>
      )}
    </div>
  )
}
