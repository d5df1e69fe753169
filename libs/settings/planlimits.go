package settings

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Limits are the limits of a plan in addition to the number of events; nil: unlimited.
type Limits struct {
	RowsPerImport          *int64 `json:"rowsPerImport"`
	OpenImports            *int64 `json:"openImports"`
	RecordsPerEvent        *int64 `json:"recordsPerEvent"`
	RecordsPerOrganization *int64 `json:"recordsPerOrganization"`
}

// limitNames are the names of the limits, in the order of limit.
func limitNames() []string {
	return []string{"rowsPerImport", "openImports", "recordsPerEvent", "recordsPerOrganization"}
}

// limit returns the limit with a name; nil if there is none.
func (l *Limits) limit(name string) **int64 {
	all := []**int64{&l.RowsPerImport, &l.OpenImports, &l.RecordsPerEvent, &l.RecordsPerOrganization}
	if i := slices.Index(limitNames(), name); i >= 0 {
		return all[i]
	}
	return nil
}

// PlanLimits are the limits of plans by name. A plan that is not in it has none.
type PlanLimits map[string]Limits

// String returns the input of ParsePlanLimits, plans sorted by name.
func (p PlanLimits) String() string {
	var parts []string
	for plan, limits := range p {
		for _, name := range limitNames() {
			if n := *limits.limit(name); n != nil {
				parts = append(parts, plan+"."+name+"="+strconv.FormatInt(*n, 10))
			}
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

// ParsePlanLimits reads limits of plans: "free.rowsPerImport=1000,free.recordsPerEvent=5000".
func ParsePlanLimits(s string) (PlanLimits, error) {
	p := PlanLimits{}
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		left, number, _ := strings.Cut(part, "=")
		dot := strings.LastIndexByte(left, '.')
		if dot < 1 {
			return nil, errors.New("must be a list such as free.rowsPerImport=1000,free.recordsPerEvent=5000")
		}
		plan, name := left[:dot], left[dot+1:]
		limits := p[plan]
		limit := limits.limit(name)
		if limit == nil {
			return nil, fmt.Errorf("names a limit %s, which is none of %s", name, strings.Join(limitNames(), ", "))
		}
		if *limit != nil {
			return nil, fmt.Errorf("names %s.%s twice", plan, name)
		}
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n < 0 || n > math.MaxInt32 {
			return nil, fmt.Errorf("has no whole number for %s.%s", plan, name)
		}
		*limit = &n
		p[plan] = limits
	}
	return p, nil
}

// CheckPlans returns an error where a limit is of a plan that the quotas do not have.
func (p PlanLimits) CheckPlans(quotas Quotas) error {
	for plan := range p {
		if _, ok := quotas[plan]; !ok {
			return fmt.Errorf("ECF_PLAN_LIMITS: there is no plan %s in ECF_QUOTAS", plan)
		}
	}
	return nil
}
