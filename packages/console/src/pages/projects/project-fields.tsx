import { TextField } from '../../form/fields.tsx'
import { text } from '../../form/values.ts'

/** The fields of a project. */
export function ProjectFields({
  project = { name: '', description: '' },
}: {
  readonly project?: { readonly name: string; readonly description: string }
}) {
  return (
    <>
      <TextField name="name" label="Name" value={project.name} maxLength={100} required />
      <TextField
        name="description"
        label="Description"
        value={project.description}
        maxLength={1000}
        hint="What the project is for."
      />
    </>
  )
}

/** The entered values of a project. */
export function projectOf(values: FormData): { readonly name: string; readonly description: string } {
  return { name: text(values, 'name'), description: text(values, 'description') }
}
