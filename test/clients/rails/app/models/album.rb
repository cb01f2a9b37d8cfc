class Album < ActiveRecord::Base
  has_many :visits
end
