package footprint

// Codes of notices. They are part of the API.
const (
	NoticeUnknownField      = "UNKNOWN_FIELD_IGNORED"
	NoticeDateOtherYear     = "DATE_OTHER_YEAR"
	NoticeFactorYear        = "FACTOR_YEAR_FALLBACK"
	NoticeFactorRegion      = "FACTOR_REGION_FALLBACK"
	NoticeUpstream          = "UPSTREAM_NOT_PUBLISHED"
	NoticeProxy             = "UK_PROXY"
	NoticeSampling          = "SAMPLING_VARIANCE_UNKNOWN"
	NoticeNotRebased        = "GWP_NOT_REBASED"
	NoticeSetNewer          = "FACTOR_SET_NEWER_THAN_EVENT"
	NoticeSetOlder          = "FACTOR_SET_OLDER_THAN_EVENT"
	NoticeGroup             = "GROUP_UNSPECIFIED"
	NoticeClassSubstituted  = "CLASS_SUBSTITUTED"
	NoticeHaulByDistance    = "HAUL_BY_DISTANCE"
	NoticeHaulAssumed       = "HAUL_ASSUMED"
	NoticeApproximate       = "LOCATION_APPROXIMATE"
	NoticeDistanceDiffers   = "DISTANCE_DIFFERS"
	NoticeHotelFallback     = "HOTEL_FACTOR_FALLBACK"
	NoticeHostelRatio       = "HOSTEL_RATIO"
	NoticeApartment         = "APARTMENT_AS_HOTEL"
	NoticeGuestNights       = "GUEST_NIGHTS"
	NoticeSupplied          = "SUPPLIED_FACTOR"
	NoticeFloorArea         = "ENERGY_FROM_FLOOR_AREA"
	NoticeAllFuels          = "ALL_FUELS_AS_ELECTRICITY"
	NoticeAnnualShare       = "ENERGY_FROM_ANNUAL_SHARE"
	NoticeInputNotUsed      = "INPUT_NOT_USED"
	NoticeScope2Upstream    = "SCOPE2_INCLUDES_UPSTREAM"
	NoticeRenewableEvidence = "RENEWABLE_WITHOUT_EVIDENCE"
	NoticeNoResidualMix     = "NO_RESIDUAL_MIX"
	NoticeResidualMix       = "RESIDUAL_MIX_USED"
	NoticeTransportOnly     = "TREATMENT_IS_TRANSPORT_ONLY"
	NoticeDensity           = "WEIGHT_FROM_VOLUME"
	NoticeScopeNotSplit     = "SCOPE_NOT_SPLIT"
	NoticeCradleToGrave     = "FACTOR_IS_CRADLE_TO_GRAVE"
	NoticeNoBiogenic        = "BIOGENIC_NOT_PUBLISHED"
	NoticeCorrected         = "FACTOR_CORRECTED"
	NoticeUpstreamDerived   = "UPSTREAM_DERIVED"
	NoticeHostelGuests      = "HOSTEL_GUESTS_ASSUMED"

	NoticeDistanceFromPlaces = "DISTANCE_FROM_PLACES"
	NoticeCodeIsPlace        = "CODE_IS_ALSO_A_PLACE"
	NoticeNamesake           = "PLACE_TAKEN_BY_NAME"
	NoticeAirportOfTown      = "AIRPORT_OF_TOWN"
	NoticeSpend              = "SPEND_BASED"
	NoticePriceYear          = "PRICE_YEAR_FALLBACK"
	NoticeCoachLoad          = "COACH_LOAD_ASSUMED"
	NoticeGenerator          = "FUEL_FROM_GENERATOR"
	NoticeContainers         = "WEIGHT_FROM_CONTAINERS"
	NoticePieces             = "WEIGHT_FROM_PIECES"
	NoticeServings           = "SERVINGS_ASSUMED"
	NoticeUsesAssumed        = "USES_ASSUMED"
	NoticeVenueBasic         = "VENUE_BASIC_TIER"
	NoticeRental             = "RENTAL_ROOMS"
	NoticeSupplierFactor     = "SUPPLIER_FACTOR"
	NoticeSupplierInvalid    = "SUPPLIER_FACTOR_NOT_VALID"
	NoticeSupplierWithdrawn  = "SUPPLIER_FACTOR_WITHDRAWN"
	NoticeRoundedToZero      = "ROUNDED_TO_ZERO"
)

// FactorUnavailable is an error code: there is no factor for the given values; the suggestions are values that have
// one.
const FactorUnavailable = "FACTOR_UNAVAILABLE"

// inResult is the meaning of a notice of records for a whole event. Notices that are not listed stay with their
// record.
var inResult = map[string]string{
	NoticeDateOtherYear:      "Dates in another year than the event lower the data quality.",
	NoticeFactorYear:         "The factor set has no row of its own year, so one of another edition was used.",
	NoticeFactorRegion:       "No factor is held for the country, so one of another country or of a wider region was used.",
	NoticeUpstream:           "The upstream part (well-to-tank, grid losses) is not published for a factor and therefore missing.",
	NoticeProxy:              "UK factors stand in for places outside the UK.",
	NoticeSampling:           "A survey was scaled up without its coefficient of variation; its interval may be too narrow.",
	NoticeClassSubstituted:   "The cabin class is not published for the haul; the average class was used.",
	NoticeHaulByDistance:     "The haul was decided by distance, because the country table lacks the territory or no airports are named.",
	NoticeHaulAssumed:        "A location is not known; the flight was taken as international, to and from outside the UK.",
	NoticeApproximate:        "A city code stands for one of several airports.",
	NoticeDistanceDiffers:    "A stated distance differs by more than a tenth from the great circle.",
	NoticeHotelFallback:      "The country has no hotel factor in the current edition.",
	NoticeHostelRatio:        "Hostels count a quarter of the country's hotel.",
	NoticeApartment:          "Apartments are counted as hotel rooms.",
	NoticeGuestNights:        "The factor of the country is per guest, not per room.",
	NoticeSupplied:           "A factor that came with the record was used.",
	NoticeFloorArea:          "Energy was estimated from floor area; an idle venue makes the estimate too low.",
	NoticeAllFuels:           "An estimate of all fuels was counted as electricity.",
	NoticeAnnualShare:        "Energy is a share of a year's use.",
	NoticeScope2Upstream:     "Scope 2 holds a factor that includes upstream emissions or grid losses.",
	NoticeRenewableEvidence:  "Renewable supply without evidence counts as not covered.",
	NoticeNoResidualMix:      "No residual mix is held for the country, so the market-based figure uses the grid average.",
	NoticeResidualMix:        "Electricity without a contract counts with the residual mix of its country in the market-based figure.",
	NoticeScopeNotSplit:      "A factor covers fuel and grid electricity together and stands in scope 1 as a whole.",
	NoticeCradleToGrave:      "A factor includes the end of life of its material.",
	NoticeNoBiogenic:         "What was used holds biomass whose biogenic CO2 is not published for the factor; it is missing outside of scopes.",
	NoticeCorrected:          "A row of the factor set was found wrong or was revised by its publisher; the corrected figure counts.",
	NoticeUpstreamDerived:    "The upstream part of grid electricity is the life-cycle figure of the country less its generation; grid losses are missing.",
	NoticeHostelGuests:       "Guests of hostels were not stated; one in each room was assumed.",
	NoticeTransportOnly:      "Factors of recycling, incineration, composting and digestion cover collection and transport only; do not rank routes by them.",
	NoticeDistanceFromPlaces: "Distances were worked out from places by published detour factors.",
	NoticeModesSplit:         "People whose mode of travel is not known were shared among modes by a survey or a published table.",
	NoticeCountryTowns:       "People of a country without a town were shared among its towns.",
	NoticeWithoutOrigin:      "People without origin count as the mean of the others.",
	NoticeSpend:              "Purchases were priced by what they cost, which is a rough estimate.",
	NoticeCoachLoad:          "The load of coaches was assumed.",
	NoticeGenerator:          "Fuel of generators was worked out from their size, hours and load.",
	NoticeContainers:         "Waste was weighed by its containers and published densities.",
	NoticePieces:             "Materials were weighed by pieces, sheets or areas.",
	NoticeSupplierFactor:     "Factors of suppliers from the organization's own library were used.",
	NoticeSupplierInvalid:    "A factor of a supplier was used outside of the days for which it is valid.",
	NoticeVenueBasic:         "Energy of a venue was taken from its type; nothing was metered.",
}

// NoticeMeaning returns the meaning of a notice of records for a whole event; empty for a code whose notices stay
// with their record.
func NoticeMeaning(code string) string { return inResult[code] }
