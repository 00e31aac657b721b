import { Fragment } from 'preact'

/** A long name that may be broken where a word begins in it. */
export function Breakable({ name }: { readonly name: string }) {
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
