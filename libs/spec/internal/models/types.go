package models

// types are the Go types of the client that are generated from the document, by file.
func types() []file {
	return []file{
		{"accounts", []model{
			{name: "TokenBundle", at: "TokenBundle", about: "holds the tokens of a session."},
			{name: "Session", at: "Session", about: "is a place where an account is signed in."},
			{name: "Member", at: "Member", about: "is what everybody in an organization may know of a member."},
			{name: "OwnOrganization", at: "OwnOrganization", about: "is an organization that the account is a member of."},
			{name: "User", at: "User", about: "is an account of the organization."},
			{name: "Me", at: "Me", about: "is the account of a session: the membership of its organization, and all of the person's."},
			{name: "Membership", at: "Membership", about: "joins a person to an organization."},
			{name: "InvitationLookup", at: "InvitationLookup", about: "names the invitation to look up."},
			{name: "Invitation", at: "Invitation", about: "is what the setup token of an invitation offers."},
			{name: "AcceptInput", at: "AcceptInput", about: "names the invitation to accept."},
			{name: "MeInput", at: "MeInput", about: "is what to change about the own account."},
			{name: "CreatedUser", at: "CreatedUserResponse/data", about: "is a new account, and the token that sets its first password."},
			{name: "UserInput", at: "UserInput", about: "is a new account."},
			{name: "UserPatch", at: "UserPatch", about: "changes an account. What is not set stays as it is.", patch: true},
			{name: "SetupRequest", at: "SetupRequest", about: "sets the first password of an account."},
			{name: "PasswordRequest", at: "PasswordRequest", about: "changes a password."},
			{name: "Organization", at: "Organization", about: "is who owns the events, with its plan and rules."},
			{name: "PendingPolicy", at: "Organization/pendingPolicy", about: "is a change of the rules that waits for a second administrator."},
			{name: "EventQuota", at: "Organization/eventQuota", about: "reports how many events the plan has, and what is left of them."},
			{name: "PlanLimits", at: "PlanLimits", about: "is what a plan bounds besides events; nil: unlimited. What is more is refused with CodePlanLimitExceeded."},
			{name: "Policy", at: "Policy", about: "is an organization's rules of approval."},
			{name: "OrganizationPatch", at: "OrganizationPatch", about: "changes the organization. What is not set stays as it is.", patch: true},
			{name: "PolicyPatch", at: "Policy", about: "changes an organization's rules of approval. What is not set stays as it is; Null turns a rule off.", patch: true},
			{name: "AuditEntry", at: "AuditEntry", about: "is something that was done, or refused, to accounts and sessions. Entries are chained by their hashes."},
			{name: "Actor", at: "Actor", about: "is who did something, with the name and role of that moment."},
		}},
		{"events", []model{
			{name: "Event", at: "Event", about: "is what a footprint is calculated for. Fields that were never given are empty."},
			{name: "EventLocation", at: "EventLocation", about: "is what the place of an event was resolved to."},
			{name: "EventResult", at: "Event/result", about: "is the newest result of an event in short."},
			{name: "Boundary", at: "Boundary", about: "is what the footprint is meant to cover. It describes; approved records always count."},
			{name: "Exclusion", at: "Boundary/excluded[]", about: "is a record type that is left out on purpose."},
			{name: "Compensation", at: "Compensation", about: "is an offset or a removal that the organizer states. It stands apart from the footprint."},
			{name: "EventInput", at: "EventInput", about: "is a new event."},
			{name: "Team", at: "Team", about: "is who sees an event and works on it."},
			{name: "TeamMember", at: "Team/members[]", about: "is a user in the team of an event."},
			{name: "EventPut", at: "EventPut", about: "is all fields of an event; what is not set is emptied."},
			{name: "EventPatch", at: "EventPatch", about: "changes an event. What is not set stays as it is.", patch: true},
			{name: "Method", at: "Method", about: "says how the footprint is calculated. A change calculates it anew."},
			{name: "Export", at: "ExportResponse/data", about: "is a whole event."},
			{name: "WhatIf", at: "WhatIf", about: "is what another destination of attendee travel would come to."},
			{name: "MovedFigure", at: "MovedFigure", about: "is a figure before and after a change."},
		}},
		{"governance", []model{
			{name: "SignOff", at: "SignOff", about: "is whether the figure of an event is signed."},
			{name: "SignOffFailure", at: "SignOff/failure", about: "is why a sign-off did not come about."},
			{name: "Edition", at: "Edition", about: "is a signed figure. It stays on record whatever happens to the event."},
			{name: "Withdrawn", at: "Edition/withdrawn", about: "is who opened a signed event again, and why."},
			{name: "Checklist", at: "Checklist", about: "is what is still open of an event that is to be signed."},
			{name: "SignOffInput", at: "SignOffInput", about: "is what is signed."},
			{name: "SignOffOutcome", at: "SignOffResponse/data", about: "is the sign-off that has begun, its proposal or, of a rehearsal, the checklist alone."},
			{name: "FieldChange", at: "FieldChange", about: "is what an action did to one field."},
			{name: "EventChange", at: "EventChange", about: "is a change that waits for a second manager."},
			{name: "EventChanges", at: "EventChangeListResponse/data", about: "is the open changes of an event, oldest first."},
			{name: "RehearsalInput", at: "RehearsalInput", about: "is what to try, one of it at least."},
			{name: "EffectFigures", at: "EffectFigures", about: "are the figures that a change of an event can move."},
			{name: "Effect", at: "Effect", about: "is what a change of an event does to its figures."},
			{name: "ChangeEffect", at: "EventChange/effect", about: "is what a change does to the figure."},
			{name: "HistoryActor", at: "HistoryActor", about: "is who did it: a person, with the name and role of that moment, or the system (`system`), which has no role."},
			{name: "EventHistoryEntry", at: "EventHistoryEntry", about: "is an action on an event. Entries are chained by their hashes."},
		}},
		{"records", []model{
			{name: "RecordState", at: "RecordState", about: "is what the service knows of a record."},
			{name: "Footprint", at: "FootprintPreview", about: "is what a record adds to the total once it is approved."},
			{name: "Narrowing", at: "Narrowing", about: "is the interval that a record would have if one field were given."},
			{name: "Notice", at: "Notice", about: "is something to know about a figure."},
			{name: "Evidence", at: "SupplierEvidence", about: "names a document that shows what a record says. It has a name, an address or a hash, at least."},
			{name: "HistoryEntry", at: "HistoryEntry", about: "is a change or a move of a record. Entries are chained by their hashes."},
			{name: "OriginCounts", at: "HistoryEntry/origins", about: "is what a history keeps of the rows of attendee travel."},
			{name: "Outcome", at: "Outcome", about: "is what became of one of several records: Record or Error, one of them nil."},
			{name: "Outcomes", at: "OutcomesResponse/data", about: "are what became of several records, in the order they were named in."},
			{name: "ReviewInfo", at: "ReviewItem/review", about: "helps to decide about a record."},
			{name: "Deleted", at: "DeletedResponse/data", about: "names what was deleted."},
			{name: "Origin", at: "Origin", about: "is people who come from one place."},
			{name: "OriginPlace", at: "OriginPlace", about: "is a place where people of a row live."},
			{name: "RowsToPreview", at: "PreviewRowsRequest", about: "are rows to be counted with what is stored: at most 100 at once."},
			{name: "RowToPreview", at: "PreviewRowsRequest/items[]", about: "is a row of a record type."},
			{name: "RowsPreview", at: "PreviewedRowsResponse/data", about: "is the sums of an event with rows that are not stored."},
			{name: "CountedSum", at: "CountedSum", about: "is so many records, and what they come to together."},
			{name: "PreviewedRow", at: "PreviewedRowsResponse/data/rows[]", about: "is what a row comes to, or why it counts nothing."},
		}},
		{"imports", []model{
			{name: "Import", at: "Import", about: "reports how far an import is."},
			{name: "RowError", at: "ImportError", about: "is one fault in a file."},
			{name: "ReadColumn", at: "ImportColumn", about: "is how a column of a file is read."},
			{name: "Sheet", at: "ImportSheet", about: "is a sheet of a workbook."},
			{name: "ReadRow", at: "ImportRow", about: "is a row of a file as it is read."},
			{name: "Undone", at: "Import/undone", about: "says who undid an import."},
			{name: "ImportOutcome", at: "ImportOutcome", about: "is what became of a record that an import created."},
			{name: "UndoneImport", at: "UndoneImportResponse/data", about: "is what became of the records of an import that was undone."},
			{name: "MovedImport", at: "MovedImportResponse/data", about: "is what became of the records of an import that were moved."},
		}},
		{"reference", []model{
			{name: "RecordType", at: "RecordType", about: "says what records of one type hold and how they are calculated."},
			{name: "Location", at: "LocationResponse/data", about: "is an airport or a city, with its position."},
			{name: "IndexedPlace", at: "LocationIndexResponse/data/items[]", about: "is an airport or a city of the index."},
			{name: "IndexedTown", at: "IndexedTown", about: "is a town of the index."},
			{name: "Health", at: "HealthStateResponse/data", about: "reports whether the service is there."},
			{name: "Factor", at: "Factor", about: "is one row of a factor set, per unit. What was not published is nil, never 0."},
			{name: "FactorSet", at: "FactorSet", about: "is an edition of emission factors."},
			{name: "FactorPack", at: "FactorSet/pack", about: "is a factor set that operators have added."},
			{name: "SourceShare", at: "FactorSet/sources[]", about: "is one source of a factor set."},
			{name: "SupplierFactor", at: "SupplierFactor", about: "is one version of a supplier's factor in the library of the organization."},
			{name: "SupplierFactorInput", at: "SupplierFactorInput", about: "is a factor that a supplier states."},
			{name: "SupplierFactorEntry", at: "SupplierFactorEntry", about: "is one change of a version."},
			{name: "Pagination", at: "Pagination", about: "says where in a list a page is."},
		}},
		{"results", []model{
			{name: "Result", at: "Result", about: "is the footprint of an event."},
			{name: "Cause", at: "Cause", about: "is one reason for which a revision of a result exists."},
			{name: "Counts", at: "Counts", about: "are the numbers of records by status, now."},
			{name: "FactorSetName", at: "FactorSetName", about: "names a factor set, with its checksum."},
			{name: "Finding", at: "Finding", about: "is something that looks wrong. It changes no figure."},
			{name: "MeasureNext", at: "MeasureNext", about: "is a record whose better measurement would narrow the interval."},
			{name: "StandardTable", at: "StandardTable", about: "is a footprint in the rows of one standard."},
			{name: "StandardRow", at: "StandardTable/rows[]", about: "is a row of a standard's table."},
			{name: "CompensationSums", at: "Result/compensation", about: "is what an event states to have offset or removed, by kind."},
			{name: "Participants", at: "Result/participants", about: "are figures by who takes part, in person and from afar."},
			{name: "Preview", at: "PreviewResponse/data", about: "is what the total would be were the whole queue approved."},
			{name: "PreviewBase", at: "PreviewResponse/data/basedOn", about: "is the newest result a preview adds to."},
			{name: "PreviewQueue", at: "PreviewResponse/data/queue", about: "is what waits for a decision."},
		}},
		{"breakdown", []model{
			{name: "Breakdown", at: "Breakdown", about: "holds the figures of a result. Parts equal totals to the last digit."},
			{name: "TypePart", at: "Breakdown/byType[]", about: "is the part of the total of one record type."},
			{name: "ByScope", at: "Breakdown/byScope", about: "splits the total by the scopes of the GHG Protocol."},
			{name: "Bounds", at: "Bounds", about: "are the ends of 95 % of likely values."},
			{name: "ByScopeIntervals", at: "Breakdown/byScopeIntervals", about: "are the intervals of ByScope."},
			{name: "ByStageIntervals", at: "Breakdown/byStageIntervals", about: "are the intervals of ByStage."},
			{name: "GroupPart", at: "Breakdown/byGroup[]", about: "is the part of the total of one group of people."},
			{name: "CategoryPart", at: "Breakdown/byScope3Category[]", about: "is the part of the total of one category of scope 3."},
			{name: "ByStage", at: "Breakdown/byStage", about: "splits the total by stage of the life cycle."},
			{name: "ByGas", at: "Breakdown/byGas", about: "splits the total by gas."},
			{name: "OutsideScopes", at: "Breakdown/outsideScopes", about: "is what is not in the total."},
			{name: "MarketBased", at: "Breakdown/marketBased", about: "is electricity by contract. It stands beside the total, which is location-based."},
			{name: "MarketByScope", at: "Breakdown/marketBased/byScope", about: "compares electricity in the organiser's control (scope 2) and all other (scope 3)."},
			{name: "DualScope", at: "DualScope", about: "is one amount by both methods of the GHG Protocol's Scope 2 Guidance."},
			{name: "QualityShares", at: "Breakdown/dataQuality", about: "are shares of the total; together 1."},
			{name: "Interval", at: "Interval", about: "is an amount with the ends of its 95 % interval. The ends do not add up over parts; kgCO2e does."},
		}},
		{"explanation", []model{
			{name: "Line", at: "Line", about: "is one product of a quantity and a factor, rounded once to a milligram."},
			{name: "Uncertainty", at: "Line/uncertainty", about: "is what makes the interval of a line."},
			{name: "Leg", at: "Leg", about: "is the part of a way that a line of attendee travel is of."},
			{name: "ExplainedRecord", at: "ExplainedRecord", about: "is a counted record, line by line."},
			{name: "ExplainedLine", at: "ExplainedLine", about: "is a line in words, with its source."},
			{name: "FactorSource", at: "ExplainedLine/factor", about: "says where a figure was published."},
		}},
		{"comparison", []model{
			{name: "ComparisonEnd", at: "WaterfallEnd", about: "is one of two results compared."},
			{name: "Comparison", at: "WaterfallResponse/data", about: "reports what led from one result to another."},
			{name: "ComparisonFigure", at: "WaterfallResponse/data/figures[]", about: "is how a figure other than the total differs between two results."},
			{name: "CategoryMove", at: "WaterfallResponse/data/categories[]", about: "is a scope, or a category of scope 3, that differs."},
			{name: "ComparisonFigurePart", at: "WaterfallResponse/data/figures[]/parts[]", about: "is what one kind of change adds to a figure."},
			{name: "ComparisonPart", at: "WaterfallResponse/data/parts[]", about: "is a part of the difference, by cause and type."},
			{name: "ComparisonRecord", at: "WaterfallResponse/data/records[]", about: "is a record that moved the total."},
			{name: "Adoption", at: "AdoptionResponse/data", about: "reports what a change of factors makes of the total."},
		}},
	}
}

// written are types written by hand, since they have more than fields, by their place in the document.
func written() map[string]string {
	return map[string]string{
		"Role": "Role", "RecordStatus": "Status", "ErrorCode": "Code", "Error": "Error", "ErrorDetail": "Detail",
		"Record": "Record", "ReviewItem": "ReviewItem",
		// Places that share another one's type.
		"Result/factorSet": "FactorSetName", "WaterfallResponse/data/intervals[]": "ComparisonFigure",
		"WaterfallResponse/data/intervals[]/parts[]": "ComparisonFigurePart",
	}
}

// isText are types written by hand that are empty if absent.
var isText = map[string]bool{"Role": true, "Status": true, "Code": true}

// exceptions are fields whose types differ from the rules, with the part of the tag after the name.
func exceptions() map[string]string {
	return map[string]string{
		// 0 and false are valid figures.
		"Event.attendees": "*int ,omitempty", "Event.virtualAttendees": "*int ,omitempty", "RehearsalInput.attendees": "*int ,omitempty",
		"Origin.roundTrip": "*bool ,omitempty", "Method.radiativeForcing": "*bool ,omitempty",
		// Absent in a dry run's event only.
		"Event.counts": "Counts ,omitzero",
		// Values set by the server are not sent, and policies are changed one by one.
		"PolicyPatch.autoApproveSetBy": "", "OrganizationPatch.policy": "Optional[PolicyPatch] ,omitzero",
		"PolicyPatch.autoApproveBelowKg": "Optional[float64] ,omitzero",
		// With a list they could not be compared, as they can be since they are released.
		"TokenBundle.notices": "", "Membership.notices": "",
		// The type of the option of an import.
		"Import.onDuplicate": "OnDuplicate ,omitempty",
		"Line.byGas":         "map[string]Kilograms",
	}
}

// leftOut are schemas without a type in the client, and why. Envelopes of a schema or of a list of them need none
// either.
func leftOut() map[string]string {
	return map[string]string{
		"ChecklistResponse": "the SignOffOutcome of a rehearsal", "EventChangeResponse": "a Governed, which proposes", "EventDecisionResponse": "an Event",
		"ErrorResponse": "the client opens the envelope", "EmptyResponse": "nothing to read", "SetupResponse": "SetUpAccount tells whether it is done",
		"LoginRequest": "arguments of Login", "RefreshRequest": "made by the client itself", "OptionalComment": "an argument of the moves",
		"RequiredComment": "an argument of the moves", "BatchInput": "an argument of CreateRecords", "IdsInput": "an argument", "FactorSetInput": "an argument of AdoptFactorSet",
		"RecordInput": "one of the inputs", "RecordPatch": "names and values", "SupplierFactorPatch": "names and values", "VarianceShare": "a number",
		"ReportBundle": "bytes that must stay as they are", "SignedBundle": "bytes that must stay as they are",
		"LocationIndexResponse": "its items are typed", "PlaceIndexResponse": "its items are typed", "FactorSetResponse": "a FactorSet, and a list of Factor",
	}
}
