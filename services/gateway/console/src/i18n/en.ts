export const en = {
  app: { name: 'Event Carbon Footprint', claim: 'Record what an event causes. Review it. Report a figure that holds.' },
  nav: { skip: 'Skip to content', main: 'Main', events: 'Events', organization: 'Organization', you: '{{name}}: account and settings', account: 'Your account', about: 'About', language: 'Language', theme: 'Appearance' },
  theme: { light: 'Light', dark: 'Dark', auto: 'As the system' },
  role: { user: 'Member', manager: 'Manager', admin: 'Administrator' },
  state: {
    loading: 'Loading', failed: 'That did not work', offline: 'The server cannot be reached. What you typed is kept here; try again in a moment.',
    wait: 'Too many requests. Try again in {{seconds}} seconds.', request: 'If you ask for help, name this request:', retry: 'Try again', updated: 'There is a new release',
    updatedText: 'Reload to get it. What you typed is kept.', reload: 'Reload', close: 'Close', clear: 'Clear', save: 'Save', cancel: 'Cancel',
  },
  session: {
    email: 'Email', password: 'Password', show: 'Show or hide the password', signIn: 'Sign in', signOut: 'Sign out', wrong: 'Email or password is wrong.',
    forgot: 'Forgot your password, or new here? An administrator of your organization can give you a link to set one.',
    ended: 'Your session has ended', endedText: 'Sign in again to go on. Nothing you typed is lost.',
    notEnded: 'You are signed out here, but the server could not be reached to end the session. It ends by itself, or from another device under “Your account”.',
    draftsTitle_one: 'One row is not saved yet', draftsTitle_other: '{{count}} rows are not saved yet', draftsText: 'Keep them in this browser for the next time you sign in, or discard them? Nobody else can see them.', discard: 'Discard and sign out', keep: 'Keep and sign out',
  },
  events: {
    title: 'Events', create: 'New event', none: 'No events yet', noneManager: 'An event is what a footprint is calculated for: a conference, a festival, a meeting. Make one, then record flights, nights, energy and all the rest in its sheet.',
    noneUser: 'A manager of your organization has to make an event first. Then you can record in it.', attendees_one: '{{n}} attendee', attendees_other: '{{n}} attendees', nothingApproved: 'nothing approved yet', waiting_one: 'one waits', waiting_other: '{{count}} wait',
  },
  event: {
    title: 'Title', start: 'First day', end: 'Last day', attendees: 'Attendees in person', attendeesHint: 'For figures per attendee', virtual: 'Attendees online', virtualHint: 'Who took part from elsewhere', country: 'Country', countryHint: 'For records that name none', timezone: 'Time zone', timezoneHint: 'Such as Europe/London',
    description: 'Notes', boundary: 'Boundary', boundaryHint: 'What the footprint is meant to cover. What is left out needs a reason; the report names it.', why: 'Why {{type}} is left out', whyShort: 'Why is it left out?', rf: 'Count the effects of flights at altitude', rfHint: 'Flights warm more than their CO₂ alone. Leaving this out lowers the figure, and the report says so.',
    copyOf: '{{title}} (copy)', edit: 'Edit event', clone: 'Make a new event like this', delete: 'Delete event', actions: 'Event actions', places: 'Places of the event', back: 'Back to all events', deleted: '“{{title}}” is deleted.',
    deleteText: '“{{title}}” and all its records, approved ones too, will be gone for everybody. This cannot be undone.', deleteSure: 'I understand that nothing of it can be brought back', deleteType: 'Type the title of the event to confirm',
  },
  place: { sheet: 'Sheet', review: 'Review', footprint: 'Footprint', report: 'Sign and report' },
  type: { flights: 'Flights', accommodation: 'Accommodation', venue: 'Venue', waste: 'Waste', 'ground-transport': 'Ground transport', freight: 'Freight', catering: 'Catering', materials: 'Materials', energy: 'Energy', water: 'Water', digital: 'Digital', purchases: 'Purchases', custom: 'Custom', 'attendee-travel': 'Attendee travel' },
  group: { attendees: 'Attendees', staff: 'Staff', speakers: 'Speakers', exhibitors: 'Exhibitors', suppliers: 'Suppliers', other: 'Other', unspecified: 'Not specified' },
  status: { draft: 'Not saved yet', unsubmitted: 'Draft', submitted: 'Waiting', in_review: 'In review', approved: 'Approved', changes_requested: 'Changes requested', rejected: 'Rejected' },
  sheet: {
    types: 'Kinds of records', all: 'All', tools: 'Tools of the sheet', undo: 'Undo', redo: 'Redo', fillDown: 'Fill down', delete: 'Delete rows', file: 'Add a CSV file', submit_zero: 'Submit', submit_one: 'Submit one row', submit_other: 'Submit {{count}} rows',
    label: 'Sheet: {{type}}', row: 'Row', type: 'Kind', datePlaceholder: 'YYYY-MM-DD', locked_one: 'One row is waiting or decided and was not changed.', locked_other: '{{count}} rows are waiting or decided and were not changed.',
    added_one: 'One row was added.', added_other: '{{count}} rows were added.', cannotUndo: 'This step cannot be undone: a row of it is “{{status}}” by now.', workbook: 'Workbooks cannot be read here. Copy the cells and paste them into the sheet, or save the sheet as CSV.', chooseType: 'Choose the kind of records first.',
    submitted_one: 'One row waits for review now.', submitted_other: '{{count}} rows wait for review now.', notSubmitted_one: 'One row could not be submitted:', notSubmitted_other: '{{count}} rows could not be submitted. The first:', confirmDelete_one: 'Delete this row for everybody?', confirmDelete_other: 'Delete {{count}} rows for everybody?',
    empty: 'Type into the first row, paste a range from a spreadsheet or a mail, or drop a CSV file here. Columns find their place by their headings.', emptyAll: 'Records of all kinds appear here. Choose a kind above to add some.', faults_one: 'one fault', faults_other: '{{count}} faults', withdraw: 'Withdraw',
  },
  form: { previous: 'Previous row', next: 'Next row', new: 'New row', of: 'Row {{at}} of {{count}}', default: 'Default: {{value}}' },
  inspect: {
    title: 'The row in focus', none: 'Choose a row to see what it counts and why.', range: '95 % between {{range}}', required: 'required', fallback: 'Left empty: {{value}}', formula: 'How it is calculated', locked: 'This row can no longer be changed here.', asked: 'Changes were requested',
    measure: 'This row makes up {{share}} of the uncertainty of the total. A measured figure here narrows the range most.', saves: 'Is saved when you leave the row.',
  },
  conflict: { title: 'Somebody else changed this row', yours: 'yours', theirs: 'theirs', keepMine: 'Keep mine', keepTheirs: 'Take theirs', cell: 'Saved by somebody else: {{theirs}}' },
  map: { title: 'Which column is which?', text_one: 'One row was found. This is remembered for the next table like it.', text_other: '{{count}} rows were found. This is remembered for the next table like it.', yours: 'Your column', example: 'First value', ours: 'Goes to', for: 'Goes to, for {{heading}}', leave: 'leave out', insert_one: 'Add one row', insert_other: 'Add {{count}} rows' },
  bar: { draft: 'Drafts', waiting: 'Waiting', approved: 'Approved', rows_zero: 'no rows', rows_one: 'one row', rows_other: '{{count}} rows', faults_one: 'one with faults', faults_other: '{{count}} with faults', offline: 'Offline. What you type is kept in this browser and saved when the server is back.', unsaved_one: 'One row is not saved yet', unsaved_other: '{{count}} rows are not saved yet', saved: 'All is saved' },
  review: {
    order: 'Order of the queue', byWeight: 'Largest first', byAge: 'Oldest first', keys: 'Keys J K A C R', ifApproved: 'If all is approved: {{before}} → {{after}}', approveMany_one: 'Approve one', approveMany_other: 'Approve {{count}}', approve: 'Approve', changes: 'Request changes', reject: 'Reject', takeBack: 'Take back', undo: 'Undo',
    approving: 'Approves in {{seconds}} s: {{what}}', empty: 'Nothing waits for a decision', emptyText: 'Records that are submitted in the sheet appear here, with what they would add, their evidence and what looks odd about them.', queue_one: 'Queue, one record', queue_other: 'Queue, {{count}} records', mark: 'Select for a decision together', age: '{{hours}} h',
    findings_one: 'one finding', findings_other: '{{count}} findings', choose: 'Choose a record.', decided: 'Decided just now', record: 'Record', evidence: 'Evidence', noEvidence: 'No evidence was named.', history: 'History', defaulted: '(default)', changed: 'Nothing was decided: the record has changed since you saw it.',
    elsewhere: 'Decided elsewhere', elsewhereBy: '{{name}} has decided on the record you were looking at: {{status}}.', elsewhereText: 'The record you were looking at has left the queue.', would_one: 'One record would be approved and count.', would_other: '{{count}} records would be approved and count.',
  },
  ask: { 'request-changes_one': 'Request changes', 'request-changes_other': 'Request changes of {{count}} records', reject_one: 'Reject the record', reject_other: 'Reject {{count}} records', reopen_one: 'Take the decision back', reopen_other: 'Take the decisions back', approve_one: 'Approve', approve_other: 'Approve', why: 'Why?', hint: 'Whoever recorded it reads this, and so does an auditor.' },
  move: { create: 'Created', edit: 'Changed', delete: 'Deleted', submit: 'Submitted', withdraw: 'Withdrawn', review: 'Taken into review', approve: 'Approved', 'auto-approve': 'Approved by the policy', 'request-changes': 'Changes requested', reject: 'Rejected', reopen: 'Reopened' },
  foot: {
    none: 'No footprint yet', noneText: 'Only approved records count. Record and submit some in the sheet; a manager approves them.', total: 'Total', sentence: 'With 95 % certainty between {{range}}, from {{count}} approved records.', excluded: 'Left out on purpose: {{list}}.', allTypes: 'No kind of record was left out on purpose.', rf: 'Flights count their effects at altitude.', noRf: 'The effects of flights at altitude are not included.',
    recalculating: 'being recalculated', perAttendee: 'Per attendee', perDay: 'Per attendee and day', noAttendees: 'The event has no number of attendees', measured: 'Measured', assumed: '{{share}} assumed', waiting: 'Waiting for review', drafts_one: 'and one draft', drafts_other: 'and {{count}} drafts', parts: 'What it is made of', by: 'Parts by', by_type: 'Kind', by_scope: 'Scope', by_group: 'Group', by_stage: 'Stage', range95: '95 % range',
    scope1: 'Scope 1: what the organizer burns', scope2: 'Scope 2: purchased electricity and heat', scope3: 'Scope 3: everything else', direct: 'Direct: burning and generating', upstream: 'Upstream: what comes before it', combined: 'Published as one figure', more: 'Show more', toRecord: 'Show in the sheet', measureNext: 'What to measure next', measureNextText: 'A measured figure in these records narrows the range most.', shareOfRange: '{{share}} of the uncertainty',
    findings: 'What looks odd', noFindings: 'Nothing stands out.', record: 'Record {{n}}', history: 'How the figure came about', from: 'From revision', to: 'to revision', firstRevision: 'This is the first revision; there is nothing to compare it with yet.', bridgeExact: 'The parts add up to the difference exactly.', cause: 'Cause', revision: 'Revision {{n}}', rehearse: 'With other factors', rehearseText: 'What the total would be with another edition of the factors. Nothing is changed; now: {{set}}.', factorSet: 'Factors', rehearsed: 'The total would change by {{difference}}.',
  },
  kind: { added: 'Added', removed: 'Removed', changed: 'Changed', factor_changed: 'Other factors', method_changed: 'Other method', recalculated: 'Recalculated', other: 'Other' },
  report: {
    none: 'Nothing to report yet', noneText: 'The report shows what is approved. Approve records first.', checklist: 'Before you hand it over', done: 'Done', open: 'Open', current: 'The figure is up to date', recalculating: 'The figure is being recalculated', noneWaiting: 'Nothing waits for review', waiting_one: 'One record waits for review', waiting_other: '{{count}} records wait for review', noDrafts: 'No drafts are left', drafts_one: 'One draft is not submitted', drafts_other: '{{count}} drafts are not submitted',
    noFindings: 'No warnings', findings_one: 'One warning is open', findings_other: '{{count}} warnings are open', boundary: 'The boundary is stated', noBoundary: 'The boundary is not stated', attendees: 'Attendees are known', noAttendees: 'The number of attendees is missing', print: 'Print or save as PDF', bundle: 'Bundle (JSON)', csv: 'Table (CSV)', tab: 'Open in a tab of its own', verify: 'Anyone can check it', verifyText: 'The bundle holds every record, factor and sum, and our signature. This recomputes all of it offline, to the last digit:', title: 'Report: {{title}}',
  },
  org: {
    plan: 'Plan and policy', members: 'Members', audit: 'Audit log', planName: 'Plan: {{plan}}', unlimited: '{{used}} events made; no limit.', quota: '{{used}} of {{limit}} events made, {{left}} left. Deleted events count.', policy: 'Rules of approval', fourEyes: 'Four eyes', fourEyesText: 'Who created, edited last or submitted a record cannot approve it.', below: 'Approve by itself below', belowText: 'Records that count for less are approved as they are submitted. Empty: none.', spot: 'Spot check: one in', spotText: 'So many of them wait for a person all the same. Empty: none.', setBy: 'Set by {{name}}', adminsOnly: 'Administrators can change this.', saved: 'The policy is saved.',
    invite: 'Add a member', linkTitle: 'Pass this link on', linkText: 'It sets the password, works once, and is shown only now.', name: 'Name', role: 'Role', active: 'Active', program: 'program', roleOf: 'Role of {{name}}', activeOf: '{{name}} may sign in', when: 'When', what: 'What', who: 'Who', outcome: 'Outcome',
  },
  account: { password: 'Password', current: 'Current password', next: 'New password', rule: 'At least 15 characters, of any kind.', change: 'Change password', changed: 'The password is changed. All other sessions have ended.', sessions: 'Where you are signed in', program: 'Browser or program', lastUsed: 'Last used', this: 'this one', end: 'End' },
  about: { title: 'About', text: 'The footprint of an event is calculated on the server from approved records and published factors; every line can be traced to its source.', methodology: 'Methodology: boundary, formulas, factors and limits', docs: 'The API, for programs', keys: 'The keys that reports are signed with', factors: 'Emission factors', ogl: 'Contains public sector information licensed under the Open Government Licence v3.0. Airport positions courtesy of OurAirports.', licences: 'Software in this console' },
};

type Words<T> = { [K in keyof T]: T[K] extends string ? string : Words<T[K]> };
export type Catalogue = typeof en;
export type Translation = Words<Catalogue>;
